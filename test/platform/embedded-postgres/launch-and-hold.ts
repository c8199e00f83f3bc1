import { launchPostgres } from "../../../src/platform/db/embedded-postgres/launch-postgres.ts";

// Launches on the folder given, prints how to connect, and keeps the server until it is killed or asked to stop.
const [dataDir] = process.argv.slice(2);
if (dataDir === undefined) throw new Error("usage: launch-and-hold.ts <data folder>");

const postgres = await launchPostgres({ dataDir });
process.stdout.write(`${JSON.stringify(postgres.connectionString("postgres"))}\n`);
process.stdin.resume();
process.stdin.once("end", () => void postgres.stop());
