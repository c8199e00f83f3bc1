import { MikroORM, type EntityName, type Options } from "@mikro-orm/postgresql";
import type { Tracer } from "@opentelemetry/api";
import type pg from "pg";
import { AuditEntry } from "../rpc/audit-entry.ts";
import { ChangeShapes } from "../write/change.ts";
import { Committer } from "../write/commit.ts";
import { BATCH_BOUNDS } from "../write/batch-bounds.ts";
import { LimitedClient, requireWritable, type ClientLimits } from "./limited-client.ts";
import { traceQueries } from "../observe/query-tracing.ts";
import { answerMsFor, QUERY_MS } from "./query-limits.ts";

/** A PostgreSQL schema with its ORM, pool and committer. */
export interface Environment {
  readonly orm: MikroORM;
  readonly pool: pg.Pool;
  readonly committer: Committer;
}

/** Maximum number of connections for each of a core's three schemas. */
export const POOL_MAX = 8;

const LOCK_PART = 0.8;
const CONNECT_MS_MAX = 5000;

export interface DatabaseOptions {
  readonly url: string;
  /** Tables are looked up here first, then in `identity`. */
  readonly schema: string;
  readonly entities: readonly EntityName[];
  readonly poolMax: number;
  /** The maximum time of a query; absent: QUERY_MS. */
  readonly queryMs?: number | undefined;
  /** How many commits go together at most; absent: BATCH_BOUNDS. */
  readonly commitBatch?: number | undefined;
  /** Absent: queries have no spans. */
  readonly tracer?: Tracer | undefined;
  /** True: a server that accepts no writes will do. */
  readonly isReplica?: boolean;
}

/** Returns the ORM's connection options: the URL as `pg` reads it, with the schema first in the search path. */
export function connectionOptions(
  url: string,
  schema: string,
  poolMax: number,
  queryMs: number = QUERY_MS,
  isReplica = false,
): Options {
  // A duplicate request waits on the row lock of the process that works on the first, but only for this time.
  const lockMs = Math.min(queryMs, QUERY_MS) * LOCK_PART;
  const settings = {
    search_path: `${schema},identity`,
    timezone: "UTC",
    lock_timeout: lockMs,
    statement_timeout: queryMs,
    // Otherwise locks would stay until the network detects that this process is gone.
    idle_in_transaction_session_timeout: queryMs,
  };
  return {
    clientUrl: url,
    ensureDatabase: false,
    pool: { min: 0, max: poolMax },
    driverOptions: {
      connectionString: url,
      options: Object.entries(settings)
        .map(([name, value]) => `-c ${name}=${value}`)
        .join(" "),
      Client: LimitedClient,
      ...(isReplica ? { mayBeReadOnly: true } : { onConnect: requireWritable }),
      // For a free connection of the pool.
      connectionTimeoutMillis: Math.min(queryMs, QUERY_MS),
      ...clientLimits(queryMs),
    },
  };
}

/** Returns the client timeouts of a connection whose server ends each query after this time. */
export function clientLimits(queryMs: number): ClientLimits {
  return { answerMs: answerMsFor(queryMs), connectMs: Math.min(queryMs, CONNECT_MS_MAX) };
}

/** Opens one schema. Connections are opened on demand; nothing is read or written here. */
export async function openEnvironment(options: DatabaseOptions): Promise<Environment> {
  const orm = await MikroORM.init({
    ...connectionOptions(options.url, options.schema, options.poolMax, options.queryMs, options.isReplica),
    entities: [...options.entities, AuditEntry],
  });
  const pool = await orm.em.getConnection().getNativeClient();
  if (options.tracer) traceQueries(pool, options.tracer, options.schema);
  const { commits, characters } = BATCH_BOUNDS;
  const bounds = { commits: options.commitBatch ?? commits, characters };
  return { orm, pool, committer: new Committer(pool, new ChangeShapes(orm.getMetadata()), bounds) };
}
