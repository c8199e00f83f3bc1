import { readFile, realpath } from "node:fs/promises";
import { join, resolve } from "node:path";
import { ConfigError, type Config } from "../../../src/platform/config/config.ts";
import {
  connectionStringOf,
  launchPostgres,
} from "../../../src/platform/db/embedded-postgres/launch-postgres.ts";
import { isStale, readLockFile } from "../../../src/platform/db/embedded-postgres/lock-file.ts";

/** The embedded server of a data folder, for a time. */
export interface ReachedServer {
  /** The address of its database `postgres`. */
  readonly url: string;
  readonly major: string;
  /** True: it runs for this alone, as the service does not. */
  readonly isOwn: boolean;
  release(): Promise<void>;
}

/** Throws ConfigError if the configuration names another PostgreSQL than the embedded one. */
export function requireEmbedded({ databaseUrl }: Config, what: string): void {
  if (databaseUrl === undefined) return;
  throw new ConfigError(
    `DATABASE_URL names a PostgreSQL of yours, and this ${what} the embedded one: docs/backup.md has the way for yours.`,
  );
}

/** Returns the service's running server, or starts it if the service does not run. Throws ConfigError without data. */
export async function reachServer({ dataDir }: Config): Promise<ReachedServer> {
  const folder = join(resolve(dataDir), "postgres");
  const cluster = await realpath(join(folder, "cluster")).catch(() => undefined);
  if (cluster === undefined) {
    throw new ConfigError(`${folder} has no database: DATA_DIR must name the service's data folder.`);
  }
  const major = (await readFile(join(cluster, "PG_VERSION"), "utf8")).trim();
  const lock = await readLockFile(cluster);
  if (lock?.status === "ready" && !(await isStale(lock, cluster))) {
    const url = connectionStringOf(lock.socketDir, "postgres");
    return { url, major, isOwn: false, release: () => Promise.resolve() };
  }
  const own = await launchPostgres({ dataDir: folder });
  return { url: own.connectionString("postgres"), major, isOwn: true, release: async () => await own.stop() };
}
