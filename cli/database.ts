import { join, resolve } from "node:path";
import pg from "pg";
import type { Config } from "../src/platform/config.ts";
import { launchPostgres } from "../src/platform/embedded-postgres/launch-postgres.ts";

/** A database to use, and the function that releases it. */
export interface OpenDatabase {
  readonly url: string;
  stop(): Promise<void>;
}

/** Name of the embedded server's database. */
export const DATABASE_NAME = "paylink";

/** Listeners for what happens to the embedded server. */
export interface DatabaseListeners {
  readonly onNotice: (line: string) => void;
  /** The server ended by itself and is restarted. */
  readonly onRestart: (detail: string) => void;
  /** The server ended by itself too often and stays down. */
  readonly onExit: (detail: string) => void;
}

/** Returns the configured database, or the embedded one, which it starts if necessary. */
export async function openDatabase(
  config: Config,
  { onNotice, onRestart, onExit }: DatabaseListeners,
): Promise<OpenDatabase> {
  if (config.databaseUrl !== undefined) return { url: config.databaseUrl, stop: () => Promise.resolve() };
  const postgres = await launchPostgres({
    dataDir: join(resolve(config.dataDir), "postgres"),
    onNotice,
    onRestart,
  });
  postgres.onExit(onExit);
  const client = new pg.Client({ connectionString: postgres.connectionString("postgres") });
  await client.connect();
  const { rowCount } = await client.query("SELECT FROM pg_database WHERE datname = $1", [DATABASE_NAME]);
  if (rowCount === 0) await client.query(`CREATE DATABASE ${DATABASE_NAME}`);
  await client.end();
  return { url: postgres.connectionString(DATABASE_NAME), stop: () => postgres.stop() };
}
