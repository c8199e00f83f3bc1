import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import {
  launchPostgres,
  type EmbeddedPostgres,
} from "../../src/platform/db/embedded-postgres/launch-postgres.ts";
import { freePort, startServer, type Server } from "./server.ts";

export const CORE_TOKEN = "token-of-the-benchmark";
// Node's options and the environment in cli/bin/paylink.
const LAUNCHER = ["--max-semi-space-size=16", "--heap-growing-percent=20"];
const launcherEnv = (checkout: string): Record<string, string> => ({
  NODE_COMPILE_CACHE: join(checkout, ".cache", "compiled"),
  MALLOC_ARENA_MAX: "1",
});
export const DATA_KEY = Buffer.alloc(32).toString("base64");
export const HERE = join(import.meta.dirname, "..", "..");

/** A database with the schema and the data of a checkout, and an API key of its tenant. */
export interface Prepared {
  readonly url: string;
  readonly key: string;
}

/** This service, whose core listens too. */
export interface CoreServer extends Server {
  readonly corePort: string;
}

/** One PostgreSQL, and the services that use it. */
export class Stage {
  readonly #folder: string;
  readonly #postgres: EmbeddedPostgres;
  readonly #servers: Server[] = [];
  /** The server process of the database. */
  readonly postgresPid: number;

  private constructor(folder: string, postgres: EmbeddedPostgres, postgresPid: number) {
    this.#folder = folder;
    this.#postgres = postgres;
    this.postgresPid = postgresPid;
  }

  static async open(): Promise<Stage> {
    const folder = await mkdtemp(join(tmpdir(), "paylink-bench-"));
    const postgres = await launchPostgres({ dataDir: join(folder, "postgres") });
    const [first] = await query<{ file: string }>(
      postgres.connectionString("postgres"),
      "SELECT pg_read_file('postmaster.pid') AS file",
    );
    return new Stage(folder, postgres, Number.parseInt(first?.file ?? "", 10));
  }

  /** Makes a database with the schema of a checkout and payments as that checkout has them. */
  async prepare(database: string, payments: number, checkout = HERE): Promise<Prepared> {
    await query(this.#postgres.connectionString("postgres"), `CREATE DATABASE ${database}`);
    const url = this.#postgres.connectionString(database);
    const { migrate } = (await import(join(checkout, "src", "migrations", "migrate.ts"))) as {
      migrate: (url: string) => Promise<unknown>;
    };
    const { prepareData } = (await import(join(checkout, "tools", "bench", "data.ts"))) as {
      prepareData: (url: string, coreToken: string, payments: number) => Promise<string>;
    };
    await migrate(url);
    return { url, key: await prepareData(url, CORE_TOKEN, payments) };
  }

  /** Starts the service of a checkout as `npm start` does, all of it in one process, with options for Node. */
  async serve(
    name: string,
    { url, key }: Prepared,
    checkout = HERE,
    nodeOptions: readonly string[] = [],
  ): Promise<CoreServer> {
    const [corePort, coreHttpPort] = [String(await freePort()), String(await freePort())];
    const command = [...LAUNCHER, ...nodeOptions, join(checkout, "cli", "main.ts"), "serve"];
    const server = await this.start(name, command, key, {
      ...launcherEnv(checkout),
      DATABASE_URL: url,
      CORE_TOKEN,
      DATA_KEY,
      DATA_DIR: join(this.#folder, name),
      CORE_PORT: corePort,
      CORE_HTTP_PORT: coreHttpPort,
      METRICS_PORT: "0",
      PAYLINK_SEED: "none",
      CHECKOUT_SESSIONS_PER_ADDRESS: "0",
      WEBHOOK_ALLOW_LOOPBACK: "true",
    });
    return { ...server, corePort };
  }

  /** Starts any other service. */
  async start(
    name: string,
    command: readonly string[],
    key: string,
    env: Readonly<Record<string, string>>,
  ): Promise<Server> {
    const logFile = join(this.#folder, `${name}.log`);
    const server = await startServer({ name, command, key, env, logFile });
    this.#servers.push(server);
    return server;
  }

  async close(): Promise<void> {
    for (const server of this.#servers) await server.stop();
    await this.#postgres.stop();
    await rm(this.#folder, { recursive: true, force: true });
  }
}

/** Reads rows on a connection of its own. */
export async function query<Row extends pg.QueryResultRow>(url: string, text: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Row>(text)).rows;
  } finally {
    await client.end();
  }
}
