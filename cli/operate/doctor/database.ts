import { readFile, realpath } from "node:fs/promises";
import { join, resolve } from "node:path";
import pg from "pg";
import type { Config } from "../../../src/platform/config/config.ts";
import { connectionStringOf } from "../../../src/platform/db/embedded-postgres/launch-postgres.ts";
import { isStale, readLockFile } from "../../../src/platform/db/embedded-postgres/lock-file.ts";
import { DATABASE_NAME } from "../../serve/database.ts";
import { findingsOf, lineOf, type Finding } from "./finding.ts";

const { ok, warning, problem } = findingsOf("database");
const CONNECT_MS_MAX = 5000;
const ANSWER_MS_MAX = 11_000;

/** A database to check, or the reason why it cannot be checked now. */
export interface FoundDatabase {
  readonly finding: Finding;
  /** All its transactions are read-only. */
  readonly client?: pg.Client;
}

/** Connects to the configured database, or to the embedded one if it is running. Starts nothing. */
export async function findDatabase({ databaseUrl, dataDir }: Config): Promise<FoundDatabase> {
  if (databaseUrl !== undefined)
    return await connect(databaseUrl, "DATABASE_URL", "Start it, or correct DATABASE_URL.");
  const folder = join(resolve(dataDir), "postgres", "cluster");
  try {
    const cluster = await realpath(folder).catch(() => undefined);
    if (cluster === undefined) return { finding: ok("embedded, made by the first start") };
    const version = (await readFile(join(cluster, "PG_VERSION"), "utf8")).trim();
    const lock = await readLockFile(cluster);
    const stopped = `embedded PostgreSQL ${version}, stopped: it runs while the service does`;
    if (lock === undefined) return { finding: ok(stopped) };
    if (await isStale(lock, cluster)) {
      const advice = "A crash left its lock file: the next start removes it and recovers.";
      return { finding: warning(`${stopped}; it did not end by itself`, advice) };
    }
    return await connect(
      connectionStringOf(lock.socketDir, DATABASE_NAME),
      `embedded, process ${lock.pid}`,
      "Wait until it has started; `npm start` shows more.",
    );
  } catch (error) {
    return { finding: problem(`${folder}: ${lineOf(error)}`, "Run as the user who runs the service.") };
  }
}

async function connect(url: string, name: string, advice: string): Promise<FoundDatabase> {
  const options = "-c timezone=UTC -c statement_timeout=10s";
  const limits = { connectionTimeoutMillis: CONNECT_MS_MAX, query_timeout: ANSWER_MS_MAX };
  const client = new pg.Client({ connectionString: url, ...limits, options });
  client.on("error", () => undefined);
  try {
    await client.connect();
    const { rows } = await client.query<{ version: string; isReadOnly: string }>(
      `SELECT current_setting('server_version') AS version,
        current_setting('default_transaction_read_only') AS "isReadOnly"`,
    );
    if (rows[0]?.isReadOnly === "on") {
      await client.end();
      const remedy = "Connect to the primary, or let the role write: default_transaction_read_only is on.";
      return { finding: problem(`${name}: it takes no writes`, remedy) };
    }
    await client.query("SET default_transaction_read_only = on");
    return { client, finding: ok(`${name}: PostgreSQL ${rows[0]?.version} answers`) };
  } catch (error) {
    await client.end().catch(() => undefined);
    return { finding: problem(`${name}: ${lineOf(error)}`, advice) };
  }
}
