import type { Clock } from "./clock.ts";
import type { Environment } from "./database.ts";

const BATCH = 1000;

/**
 * Removes idempotency records past their time, in batches and leaving out rows that somebody holds,
 * so that no request waits for it. Answers how many went.
 */
export async function removePastKeys({ pool }: Environment, clock: Clock): Promise<number> {
  let removed = 0;
  for (;;) {
    const { rowCount } = await pool.query({
      name: "remove past keys",
      text: `DELETE FROM idempotency i USING (
          SELECT tenant_id, key FROM idempotency WHERE expires_at <= $1 ORDER BY expires_at LIMIT ${BATCH}
          FOR UPDATE SKIP LOCKED
        ) past WHERE i.tenant_id = past.tenant_id AND i.key = past.key`,
      values: [new Date(clock.nowMs())],
    });
    removed += rowCount ?? 0;
    if ((rowCount ?? 0) < BATCH) return removed;
  }
}
