import { secondsAfter, type Clock } from "../platform/time/clock.ts";
import type { Environment } from "../platform/db/database.ts";
import { sweep, type Found } from "../platform/work/sweep.ts";

/** The time for which a quote that was not accepted is stored after its end, in seconds. */
const KEPT_SECONDS = 7 * 24 * 60 * 60;
const BATCH = 500;

interface PastQuote extends Found {
  readonly id: string;
}

/**
 * Removes quotes that ended a week ago and were not accepted, with their prices and locks without other references.
 * Their ids stay. Returns the number of removed quotes.
 */
export async function removePastQuotes({ pool }: Environment, clock: Clock): Promise<number> {
  const until = secondsAfter(new Date(clock.nowMs()), -KEPT_SECONDS);
  return await sweep<PastQuote>({
    pool,
    batch: BATCH,
    find: async (limit, exceptTenants) => {
      const { rows } = await pool.query<PastQuote>({
        name: "find past quotes",
        text: `SELECT tenant_id AS "tenantId", id FROM quote
          WHERE consumed_at IS NULL AND expires_at <= $1 AND tenant_id <> ALL ($3) ORDER BY expires_at LIMIT $2`,
        values: [until, limit, exceptTenants],
      });
      return rows;
    },
    change: async (client, tenantId, past) => {
      const { rows } = await client.query<{ count: number }>({
        name: "remove past quotes",
        text: "SELECT remove_past_quotes($1, $2, $3) AS count",
        values: [tenantId, past.map(({ id }) => id), until],
      });
      return rows[0]?.count ?? 0;
    },
  });
}

/** Returns true if the tenant had a quote of this id that ended, was not accepted and is removed. */
export async function wasRemoved({ pool }: Environment, tenantId: string, id: string): Promise<boolean> {
  const { rowCount } = await pool.query({
    name: "past quote",
    text: "SELECT FROM past_quote WHERE tenant_id = $1 AND id = $2",
    values: [tenantId, id],
  });
  return rowCount === 1;
}
