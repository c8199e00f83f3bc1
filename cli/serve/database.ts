import { join, resolve } from "node:path";
import { ConfigError, type Config } from "../../src/platform/config/config.ts";
import { launchPostgres } from "../../src/platform/db/embedded-postgres/launch-postgres.ts";
import { FolderInUse } from "../../src/platform/db/embedded-postgres/lock-file.ts";
import type { Role } from "./role.ts";

/** A database to use, and the function that releases it. */
export interface OpenDatabase {
  readonly url: string;
  stop(): Promise<void>;
}

/** Name of the embedded server's database. */
export const DATABASE_NAME = "paylink";

// Enough for one process and its tools; each further one has as many pools.
const CONNECTIONS = 100;
const CONNECTIONS_MORE = 30;

/** Listeners for what happens to the embedded server. */
export interface DatabaseListeners {
  readonly onNotice: (line: string) => void;
  /** The server ended by itself and is restarted. */
  readonly onRestart: (detail: string) => void;
  /** The server ended by itself too often and stays down. */
  readonly onExit: (detail: string) => void;
}

/** A database that is being opened. */
export interface OpeningDatabase {
  /** Resolves when another process does the rest: what blocks this one delays nothing. */
  readonly underWay: Promise<void>;
  readonly opened: Promise<OpenDatabase>;
}

/**
 * Opens the configured database, or the embedded one, which it starts if necessary, for so many processes of a role.
 * `opened` throws ConfigError if a part that runs apart finds the embedded one in use by another part.
 */
export function openDatabase(
  config: Config,
  role: Role,
  listeners: DatabaseListeners,
  processes = 1,
): OpeningDatabase {
  const { databaseUrl } = config;
  if (databaseUrl !== undefined) {
    const opened = Promise.resolve({ url: databaseUrl, stop: () => Promise.resolve() });
    return { underWay: Promise.resolve(), opened };
  }
  const { promise, resolve: onSpawned } = Promise.withResolvers<void>();
  const opened = startEmbedded(config, listeners, onSpawned, processes).catch((error: unknown) => {
    throw role !== "all" && error instanceof FolderInUse ? urlMissing(role) : error;
  });
  // A failed start is reported by `opened`.
  const underWay = Promise.race([
    promise,
    opened.then(
      () => undefined,
      () => undefined,
    ),
  ]);
  return { underWay, opened };
}

function urlMissing(role: Role): ConfigError {
  return new ConfigError(
    `DATABASE_URL is missing: the embedded database of DATA_DIR is another part's, and a ${role} beside it needs a ` +
      "PostgreSQL that both reach. Give each of them the same DATABASE_URL.",
  );
}

async function startEmbedded(
  config: Config,
  { onNotice, onRestart, onExit }: DatabaseListeners,
  onSpawned: () => void,
  processes: number,
): Promise<OpenDatabase> {
  const postgres = await launchPostgres({
    dataDir: join(resolve(config.dataDir), "postgres"),
    onNotice,
    onRestart,
    onSpawned,
    settings: { max_connections: String(CONNECTIONS + (processes - 1) * CONNECTIONS_MORE) },
  });
  postgres.onExit(onExit);
  const { default: pg } = await import("pg");
  const client = new pg.Client({ connectionString: postgres.connectionString("postgres") });
  await client.connect();
  const { rowCount } = await client.query("SELECT FROM pg_database WHERE datname = $1", [DATABASE_NAME]);
  if (rowCount === 0) await client.query(`CREATE DATABASE ${DATABASE_NAME}`);
  await client.end();
  return { url: postgres.connectionString(DATABASE_NAME), stop: () => postgres.stop() };
}
