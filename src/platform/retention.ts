import type pg from "pg";
import type { Clock } from "./clock.ts";
import type { Environment } from "./database.ts";

const BATCH = 1000;

/**
 * Removes the rows whose time is not after `until`, in batches and leaving out rows that somebody holds, so that no
 * request waits for it. Answers how many went.
 */
export async function removeInBatches(
  pool: pg.Pool,
  table: string,
  key: readonly string[],
  time: string,
  until: Date,
): Promise<number> {
  const columns = key.join(", ");
  let removed = 0;
  for (;;) {
    const { rowCount } = await pool.query({
      name: `remove past ${table}`,
      text: `DELETE FROM ${table} WHERE (${columns}) IN (
          SELECT ${columns} FROM ${table} WHERE ${time} <= $1 ORDER BY ${time} LIMIT ${BATCH} FOR UPDATE SKIP LOCKED
        )`,
      values: [until],
    });
    removed += rowCount ?? 0;
    if ((rowCount ?? 0) < BATCH) return removed;
  }
}

/** Removes idempotency records past their time. Answers how many went. */
export async function removePastKeys({ pool }: Environment, clock: Clock): Promise<number> {
  const now = new Date(clock.nowMs());
  return await removeInBatches(pool, "idempotency", ["tenant_id", "key"], "expires_at", now);
}
