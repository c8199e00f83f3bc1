import { MikroORM, type EntityName, type Options } from "@mikro-orm/postgresql";
import type { Tracer } from "@opentelemetry/api";
import type pg from "pg";
import { AuditEntry } from "./audit-entry.ts";
import { ChangeShapes } from "./change.ts";
import { Committer } from "./commit.ts";
import { LimitedClient, requireWritable, type ClientLimits } from "./limited-client.ts";
import { traceQueries } from "./query-tracing.ts";
import { answerMsFor, STATEMENT_MS } from "./statement-limits.ts";

/** A PostgreSQL schema of its own: its ORM, its pool and what writes to it. */
export interface Environment {
  readonly orm: MikroORM;
  readonly pool: pg.Pool;
  readonly committer: Committer;
}

/** Connections at most of each of a core's three schemas. */
export const POOL_MAX = 8;

const LOCK_PART = 0.8;
const CONNECT_MS_MAX = 5000;

export interface DatabaseOptions {
  readonly url: string;
  /** Tables are looked for here first, then in `identity`. */
  readonly schema: string;
  readonly entities: readonly EntityName[];
  readonly poolMax: number;
  /** How long a statement may take; absent: STATEMENT_MS. */
  readonly statementMs?: number | undefined;
  /** Absent: no statement has a span. */
  readonly tracer?: Tracer | undefined;
}

/** How the ORM connects: by the URL as `pg` reads it, with the schema first in the search path. */
export function connectionOptions(
  url: string,
  schema: string,
  poolMax: number,
  statementMs: number = STATEMENT_MS,
): Options {
  // A duplicate of a request that another process works on waits on its row, but not for ever.
  const lockMs = Math.min(statementMs, STATEMENT_MS) * LOCK_PART;
  const settings = {
    search_path: `${schema},identity`,
    timezone: "UTC",
    lock_timeout: lockMs,
    statement_timeout: statementMs,
    // What it holds would be held until the network notices that we are gone.
    idle_in_transaction_session_timeout: statementMs,
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
      onConnect: requireWritable,
      // For a free connection of the pool.
      connectionTimeoutMillis: Math.min(statementMs, STATEMENT_MS),
      ...clientLimits(statementMs),
    },
  };
}

/** What a connection may take whose server ends each statement after this time. */
export function clientLimits(statementMs: number): ClientLimits {
  return { answerMs: answerMsFor(statementMs), connectMs: Math.min(statementMs, CONNECT_MS_MAX) };
}

/** Opens one schema. Connections are made as needed; nothing is read or written here. */
export async function openEnvironment(options: DatabaseOptions): Promise<Environment> {
  const orm = await MikroORM.init({
    ...connectionOptions(options.url, options.schema, options.poolMax, options.statementMs),
    entities: [...options.entities, AuditEntry],
  });
  const pool = await orm.em.getConnection().getNativeClient();
  if (options.tracer) traceQueries(pool, options.tracer, options.schema);
  return { orm, pool, committer: new Committer(pool, new ChangeShapes(orm.getMetadata())) };
}
