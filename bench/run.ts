/**
 * Compares this service with a plain one on the same database, or with another checkout of it, interleaved in one run.
 * Exit 1 when this one is slower in the median.
 */
import { once } from "node:events";
import { openSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import pg from "pg";
import { launchPostgres, type EmbeddedPostgres } from "../src/platform/embedded-postgres/launch-postgres.ts";
import { compare, headersOf, LINK, startServer, type Server } from "./measure.ts";

const HELP = `npm run bench -- [--quick] [--against FOLDER]

  --quick           3 pairs of 1 s in place of 9 pairs of 3 s
  --against FOLDER  another checkout of this service, with its packages, in place of the plain service
`;
const CORE_TOKEN = "token-of-the-benchmark";
const HERE = join(import.meta.dirname, "..");

const { values } = parseArgs({
  options: {
    quick: { type: "boolean", default: false },
    against: { type: "string" },
    help: { type: "boolean", default: false },
  },
});
if (values.help) process.stdout.write(HELP);
else process.exitCode = (await main()) ? 0 : 1;

async function main(): Promise<boolean> {
  const folder = await mkdtemp(join(tmpdir(), "paylink-bench-"));
  const postgres = await launchPostgres({ dataDir: folder });
  const servers: Server[] = [];
  try {
    const log = (name: string): number => openSync(join(folder, `${name}.log`), "a");
    const start = async (name: string, script: string, { url, key }: Prepared): Promise<Server> => {
      const server = await startServer(
        { name, script, key },
        { DATABASE_URL: url, CORE_TOKEN },
        // Each writes a log, which is part of what is measured and not for this page.
        log(name),
      );
      servers.push(server);
      return server;
    };
    const own = await prepare(postgres, "bench", HERE);
    const ours = await start("ours", join(HERE, "bench", "ours.ts"), own);
    const other =
      values.against === undefined
        ? await start("baseline", join(HERE, "bench", "baseline", "server.ts"), own)
        : await start(
            "other",
            resolve(values.against, "bench", "ours.ts"),
            await prepare(postgres, "other", resolve(values.against)),
          );
    if (values.against === undefined) await requireSameShape([ours, other]);
    const rounds = values.quick ? { count: 3, seconds: 1 } : { count: 9, seconds: 3 };
    const create = await compare("create", [ours, other], rounds);
    const list = await compare("list", [ours, other], rounds);
    return create >= 1 && list >= 1;
  } finally {
    for (const { child } of servers) {
      const gone = once(child, "exit");
      child.kill();
      await gone;
    }
    await postgres.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

/** A database with the schema and the data of a checkout, and an API key of its tenant. */
interface Prepared {
  readonly url: string;
  readonly key: string;
}

async function prepare(postgres: EmbeddedPostgres, database: string, checkout: string): Promise<Prepared> {
  const admin = new pg.Client({ connectionString: postgres.connectionString("postgres") });
  await admin.connect();
  await admin.query(`CREATE DATABASE ${database}`);
  await admin.end();
  const url = postgres.connectionString(database);
  const { migrate } = (await import(join(checkout, "src", "migrations", "migrate.ts"))) as {
    migrate: (url: string) => Promise<unknown>;
  };
  const { prepareData } = (await import(join(checkout, "bench", "data.ts"))) as {
    prepareData: (url: string, coreToken: string) => Promise<string>;
  };
  await migrate(url);
  return { url, key: await prepareData(url, CORE_TOKEN) };
}

/** Both must do the same work: their answers have the same members. */
async function requireSameShape(servers: readonly Server[]): Promise<void> {
  const shapes = await Promise.all(
    servers.map(async ({ address, key }) => {
      const headers = headersOf(key);
      const link = await fetch(`${address}/v1/payment_links`, {
        method: "POST",
        headers: { ...headers, "idempotency-key": address },
        body: JSON.stringify(LINK),
      });
      const list = await fetch(`${address}/v1/payments?from=2020-01-01&to=2099-12-31&limit=100`, { headers });
      const page = (await list.json()) as { data: object[] };
      const made = (await link.json()) as Record<string, unknown>;
      return JSON.stringify([
        Object.entries({ ...made, id: "", checkout_url: "", created: 0, expires_at: 0 }),
        page,
      ]);
    }),
  );
  if (shapes[0] !== shapes[1]) throw new Error(`the two answer differently:\n${shapes.join("\n")}`);
}
