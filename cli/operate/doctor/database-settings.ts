import type pg from "pg";
import { POOL_MAX } from "../../../src/platform/db/database.ts";
import { findingsOf, type Finding } from "./finding.ts";

const { ok, warning, problem } = findingsOf("settings");
const VERSION_TESTED = 18;
const VERSION_MIN = 15;
// Three pools, one connection that listens, and two for migrations at a start.
const CONNECTIONS_OF_A_CORE = 3 * POOL_MAX + 3;
const CORES_WISHED = 2;

/** Settings of the server and the role that the service depends on. */
export interface DatabaseSettings {
  readonly version: number;
  readonly encoding: string;
  readonly isReadOnly: boolean;
  readonly fsync: string;
  readonly synchronousCommit: string;
  readonly fullPageWrites: string;
  /** Number of connections that this role may open, without the reserved ones. */
  readonly connections: number;
  readonly mayCreateSchemas: boolean;
}

export async function lookAtSettings(client: pg.Client): Promise<DatabaseSettings> {
  // -1 means no limit. GREATEST and LEAST ignore nulls.
  const { rows } = await client.query<DatabaseSettings>(`
    SELECT current_setting('server_version_num')::int / 10000 AS version,
      current_setting('server_encoding') AS encoding,
      pg_is_in_recovery() AS "isReadOnly",
      current_setting('fsync') AS fsync,
      current_setting('synchronous_commit') AS "synchronousCommit",
      current_setting('full_page_writes') AS "fullPageWrites",
      LEAST(
        current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
          - COALESCE(current_setting('reserved_connections', true)::int, 0),
        NULLIF(rolconnlimit, -1),
        NULLIF(datconnlimit, -1)
      )::int AS connections,
      has_database_privilege(current_database(), 'CREATE') AS "mayCreateSchemas"
    FROM pg_roles, pg_database
    WHERE rolname = current_user AND datname = current_database()`);
  const [found] = rows;
  if (!found) throw new Error("the server does not know its own role");
  return found;
}

export function judgeSettings(settings: DatabaseSettings): Finding[] {
  const { version, encoding, connections } = settings;
  const found: Finding[] = [];
  if (version < VERSION_MIN) {
    found.push(problem(`PostgreSQL ${version}`, `Use ${VERSION_TESTED}, on which the service is tested.`));
  } else if (version !== VERSION_TESTED) {
    found.push(warning(`PostgreSQL ${version}`, `The service is tested on ${VERSION_TESTED}.`));
  }
  if (encoding !== "UTF8") {
    found.push(problem(`the database's encoding is ${encoding}`, "Create a database with ENCODING 'UTF8'."));
  }
  if (settings.isReadOnly) {
    found.push(problem("the server is a replica and refuses writes", "Connect to the primary."));
  }
  if (!settings.mayCreateSchemas) {
    const advice = "As its owner: GRANT CREATE ON DATABASE … TO the role of DATABASE_URL.";
    found.push(problem("the role may not create schemas, which migrations need", advice));
  }
  found.push(...judgeDurability(settings), ...judgeConnections(connections));
  if (found.length > 0) return found;
  return [ok(`durable, writable, ${connections} connections: room for ${coresIn(connections)} cores`)];
}

function judgeDurability({ fsync, synchronousCommit, fullPageWrites }: DatabaseSettings): Finding[] {
  const values = { fsync, synchronous_commit: synchronousCommit, full_page_writes: fullPageWrites };
  return Object.entries(values)
    .filter(([, value]) => value === "off")
    .map(([name]) => problem(`${name} is off`, `Turn it on, or a power cut loses acknowledged payments.`));
}

function judgeConnections(connections: number): Finding[] {
  const cores = coresIn(connections);
  const found = `${connections} connections: room for ${cores === 0 ? "no core" : `${cores} core`}`;
  const advice = `Each core uses up to ${CONNECTIONS_OF_A_CORE}: raise max_connections, or the role's limit.`;
  if (cores === 0) return [problem(found, advice)];
  return cores < CORES_WISHED ? [warning(found, advice)] : [];
}

function coresIn(connections: number): number {
  return Math.floor(connections / CONNECTIONS_OF_A_CORE);
}
