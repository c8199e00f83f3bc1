import { MikroORM, type EntityName, type Options } from "@mikro-orm/postgresql";
import type { Tracer } from "@opentelemetry/api";
import type pg from "pg";
import { AuditEntry } from "./audit-entry.ts";
import { ChangeShapes } from "./change.ts";
import { Committer } from "./commit.ts";
import { traceQueries } from "./query-tracing.ts";

/** A PostgreSQL schema of its own: its ORM, its pool and what writes to it. */
export interface Environment {
  readonly orm: MikroORM;
  readonly pool: pg.Pool;
  readonly committer: Committer;
}

/** Connections at most of each of a core's three schemas. */
export const POOL_MAX = 8;

export interface DatabaseOptions {
  readonly url: string;
  /** Tables are looked for here first, then in `identity`. */
  readonly schema: string;
  readonly entities: readonly EntityName[];
  readonly poolMax: number;
  /** Absent: no statement has a span. */
  readonly tracer?: Tracer | undefined;
}

/** How the ORM connects: by the URL as `pg` reads it, with the schema first in the search path. */
export function connectionOptions(url: string, schema: string, poolMax: number): Options {
  return {
    clientUrl: url,
    ensureDatabase: false,
    pool: { min: 0, max: poolMax },
    driverOptions: {
      connectionString: url,
      // A duplicate of a request that another process works on waits on its row, but not for ever.
      options: `-c search_path=${schema},identity -c lock_timeout=10s -c timezone=UTC`,
      connectionTimeoutMillis: 10_000,
    },
  };
}

/** Opens one schema. Connections are made as needed; nothing is read or written here. */
export async function openEnvironment(options: DatabaseOptions): Promise<Environment> {
  const orm = await MikroORM.init({
    ...connectionOptions(options.url, options.schema, options.poolMax),
    entities: [...options.entities, AuditEntry],
  });
  const pool = await orm.em.getConnection().getNativeClient();
  if (options.tracer) traceQueries(pool, options.tracer, options.schema);
  return { orm, pool, committer: new Committer(pool, new ChangeShapes(orm.getMetadata())) };
}
