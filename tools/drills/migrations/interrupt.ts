import { randomBytes } from "node:crypto";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as passes } from "node:timers/promises";
import { migrate } from "../../../src/migrations/migrate.ts";
import { freePorts } from "../../../test/support/process.ts";
import { fillTables, keptReleases, type Release } from "../../../test/support/release.ts";
import type { Random } from "../random.ts";
import { DatabaseServer } from "../chaos/database-server.ts";
import { ServicePart } from "../chaos/part.ts";
import { differences, fingerprint, type Fingerprint } from "./fingerprint.ts";
import { StopInMigration, type Place } from "./stop-in-migration.ts";

// A statement of a process that was killed goes on for a while, beside the next process.
const OVERLAP_MS = 300;

interface Row {
  readonly from: string;
  readonly migrations: number;
  readonly kills: number;
  readonly differences: number;
}

/**
 * Kills a core within each migration, from an empty database and from the first release's, and starts it again. Returns
 * whether what came of it equals in all tables and rows what an undisturbed start makes. `last` leaves out all but so many
 * of the migrations after the first release.
 */
export async function interruptMigrations(dataDir: string, random: Random, last?: number): Promise<boolean> {
  const [release] = (await keptReleases()) as [Release];
  const server = new DatabaseServer(join(dataDir, "postgres"));
  await server.create(true);
  const rows: Row[] = [];
  const problems: string[] = [];
  try {
    await server.query("CREATE DATABASE empty", "CREATE DATABASE filled");
    await migrate(server.url("filled"), new Map(Object.entries(release.migrations)));
    const client = await server.connect("filled");
    await fillTables(client, release);
    await client.end();
    const starts = [
      { template: "empty", from: "nothing" },
      { template: "filled", from: `release ${release.name}` },
    ];
    for (const { template, from } of last === undefined ? starts : starts.slice(1)) {
      const found = await interrupt(server, template, join(dataDir, template), random, last);
      rows.push({ from, ...found, differences: found.differences.length });
      problems.push(...found.differences.map((difference) => `from ${from}: ${difference}`));
    }
  } finally {
    await server.stop();
  }
  console.table(rows);
  for (const problem of problems) console.error(problem);
  return problems.length === 0;
}

async function interrupt(
  server: DatabaseServer,
  template: string,
  folder: string,
  random: Random,
  last: number | undefined,
): Promise<{ migrations: number; kills: number; differences: readonly string[] }> {
  const stopping = new StopInMigration(server);
  await stopping.install(template);
  const [undisturbed, disturbed] = [`${template}_undisturbed`, `${template}_disturbed`];
  await server.query(
    `CREATE DATABASE ${undisturbed} TEMPLATE ${template}`,
    `CREATE DATABASE ${disturbed} TEMPLATE ${template}`,
  );
  await startOnce(server, undisturbed, folder);
  const groups = await stopping.migrations(undisturbed);
  const places = groups.map((group) => random.pick(group));
  const chosen = last === undefined ? places : places.slice(-last);
  const former: number[] = [];
  for (const place of chosen) former.push(await killAt(server, stopping, disturbed, folder, place, former));
  await stopping.stopAt(disturbed, undefined);
  const end = endFormer(stopping, former);
  await startOnce(server, disturbed, folder);
  await end;
  const [expected, found] = [await printOf(server, undisturbed), await printOf(server, disturbed)];
  return { migrations: groups.length, kills: chosen.length, differences: differences(expected, found) };
}

/** Starts a core and kills it when it has come to the place. Returns the backend whose statement is still running. */
async function killAt(
  server: DatabaseServer,
  stopping: StopInMigration,
  database: string,
  folder: string,
  place: Place,
  former: readonly number[],
): Promise<number> {
  await stopping.stopAt(database, place);
  const core = await corePart(server, database, folder);
  core.start();
  const end = endFormer(stopping, former);
  const backend = await stopping.untilStopped(database, former, () => core.failure());
  await end;
  await core.end("SIGKILL");
  return backend;
}

async function endFormer(stopping: StopInMigration, former: readonly number[]): Promise<void> {
  await passes(OVERLAP_MS);
  await stopping.terminate(former);
}

async function startOnce(server: DatabaseServer, database: string, folder: string): Promise<void> {
  const core = await corePart(server, database, folder);
  await core.untilReady();
  await core.end("SIGTERM");
}

async function corePart(server: DatabaseServer, database: string, folder: string): Promise<ServicePart> {
  const [core, http, metrics] = await freePorts(3);
  await mkdir(folder, { recursive: true });
  return new ServicePart("core", "core", {
    DATABASE_URL: server.url(database),
    DATA_DIR: folder,
    DATA_KEY: Buffer.alloc(32, 7).toString("base64"),
    CORE_TOKEN: randomBytes(24).toString("base64url"),
    CORE_PORT: String(core),
    CORE_HTTP_PORT: String(http),
    METRICS_PORT: String(metrics),
    PAYLINK_SEED: "none",
    LOG_LEVEL: "error",
  });
}

async function printOf(server: DatabaseServer, database: string): Promise<Fingerprint> {
  const client = await server.connect(database);
  try {
    return await fingerprint(client);
  } finally {
    await client.end();
  }
}
