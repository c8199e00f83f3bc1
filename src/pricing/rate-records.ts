import type pg from "pg";
import type { Environment } from "../platform/db/database.ts";
import { FxHeldRate, FxSpot, type FxHeldRateRow, type FxSpotRow } from "./entities.ts";
import { DEFAULT_TENANT } from "./repository.ts";

/** What a source of rates answered last. */
export interface FeedState {
  readonly source: string;
  /** Undefined: it never answered. */
  readonly answeredAt: Date | undefined;
  /** Failures since the last answer. */
  readonly failureCount: number;
  /** The code of the last failure; undefined: the last request was answered. */
  readonly failure: string | undefined;
}

/** Returns the time of the newest bulletin of a source, held or not. */
export async function lastFetchedAt({ orm }: Environment, source: string): Promise<Date | undefined> {
  const em = orm.em.fork();
  const where = { tenantId: DEFAULT_TENANT, source };
  const newest = { orderBy: { publishedAt: "desc" }, limit: 1 } as const;
  const found = [...(await em.find(FxSpot, where, newest)), ...(await em.find(FxHeldRate, where, newest))];
  const times = found.map(({ publishedAt }) => publishedAt.getTime());
  return times.length > 0 ? new Date(Math.max(...times)) : undefined;
}

/**
 * Returns the rate from which a source moves within bounds: the newest of those that were published until a time and
 * those that a person published or released since, or else the oldest rate. Null: there is none.
 */
export async function findRateBefore(
  environment: Environment,
  source: string,
  until: Date,
): Promise<FxSpotRow | null> {
  const { rows } = await environment.pool.query<Record<string, unknown>>({
    name: "rate before",
    text: `(SELECT s.*, 1 AS choice FROM fx_spot s
        WHERE s.tenant_id = $1 AND (s.published_at <= $3 OR s.source <> $2
          OR EXISTS (SELECT FROM fx_held_rate h WHERE h.tenant_id = s.tenant_id AND h.id = s.id))
        ORDER BY s.published_at DESC, s.id DESC LIMIT 1)
      UNION ALL
      (SELECT s.*, 2 AS choice FROM fx_spot s WHERE s.tenant_id = $1 ORDER BY s.published_at, s.id LIMIT 1)
      ORDER BY choice LIMIT 1`,
    values: [DEFAULT_TENANT, source, until],
  });
  const [row] = rows;
  return row ? environment.orm.em.fork().map(FxSpot, row) : null;
}

/** Returns the rates that wait for their release, newest first. A newer rate of its source supersedes a held one. */
export async function findHeldRates(environment: Environment): Promise<FxHeldRateRow[]> {
  const { rows } = await environment.pool.query<Record<string, unknown>>({
    name: "held rates",
    text: `SELECT h.* FROM fx_held_rate h WHERE ${IS_HELD} ORDER BY h.published_at DESC, h.id DESC`,
    values: [DEFAULT_TENANT],
  });
  const em = environment.orm.em.fork();
  return rows.map((row) => em.map(FxHeldRate, row));
}

/** Returns the number of rates that wait for their release. */
export async function countHeldRates(pool: Pick<pg.Pool, "query">): Promise<number> {
  const { rows } = await pool.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM fx_held_rate h WHERE ${IS_HELD}`,
    [DEFAULT_TENANT],
  );
  return rows[0]?.count ?? 0;
}

const IS_HELD = `h.tenant_id = $1 AND NOT EXISTS (SELECT FROM fx_spot s
  WHERE s.tenant_id = h.tenant_id AND s.source = h.source AND s.published_at >= h.published_at)`;

/** Returns the state of a mode's source of rates, or undefined if it has asked none. */
export async function findFeedState(pool: Pick<pg.Pool, "query">): Promise<FeedState | undefined> {
  const { rows } = await pool.query<{
    source: string;
    answeredMs: number | null;
    failureCount: number;
    failure: string | null;
  }>(
    `SELECT source, (extract(epoch FROM answered_at) * 1000)::float8 AS "answeredMs", failure_count AS "failureCount",
      failure FROM fx_feed WHERE tenant_id = $1 ORDER BY due_at DESC LIMIT 1`,
    [DEFAULT_TENANT],
  );
  const [row] = rows;
  if (!row) return undefined;
  const { source, answeredMs, failureCount, failure } = row;
  const answeredAt = answeredMs === null ? undefined : new Date(answeredMs);
  return { source, answeredAt, failureCount, failure: failure ?? undefined };
}
