import { secondsAfter } from "../platform/time/clock.ts";
import type { Environment } from "../platform/db/database.ts";
import { removeByTenant } from "../platform/work/retention.ts";
import { removeSurplusCallbacks } from "./callback-records.ts";

const DAY_SECONDS = 86_400;
const CALLBACKS_KEPT_DAYS = 30;
// Of one account. They only show that a body came before: a repeated one is asked about again without them.
const CALLBACKS_KEPT_MAX = 10_000;
// Money may come for some days after the last charge. PIX may go back for 90 days after it came, a card's for a year and more.
const SWEPT_DAYS = { pix: 100, card: 410 } as const;

/**
 * Removes callbacks that were answered long ago or are more than an account keeps, and the cursors of accounts that were retired long ago and have no open
 * charge or refund. Returns the number of removed rows.
 */
export async function removePast(environment: Environment, now: Date): Promise<number> {
  const { pool } = environment;
  const until = secondsAfter(now, -CALLBACKS_KEPT_DAYS * DAY_SECONDS);
  const key = ["account_id", "body_hash"];
  const callbacks = await removeByTenant(
    pool,
    "provider_callback",
    key,
    "created_at",
    until,
    "due_at IS NULL",
  );
  const surplus = await removeSurplusCallbacks(environment, CALLBACKS_KEPT_MAX);
  return callbacks + surplus + (await removeCursors(environment, now));
}

async function removeCursors({ pool }: Environment, now: Date): Promise<number> {
  const before = (days: number): Date => secondsAfter(now, -days * DAY_SECONDS);
  const { rowCount } = await pool.query({
    name: "remove cursors of retired accounts",
    text: `DELETE FROM provider_sweep s USING provider_account a
      WHERE a.tenant_id = s.tenant_id AND a.id = s.account_id AND a.state = 'retired'
        AND a.retired_at <= CASE a.kind WHEN 'pix' THEN $1::timestamptz ELSE $2 END
        AND NOT EXISTS (SELECT FROM charge c
          WHERE c.is_open AND c.tenant_id = a.tenant_id AND c.account_id = a.id)
        AND NOT EXISTS (SELECT FROM refund r
          WHERE r.status IN ('requested', 'processing') AND r.tenant_id = a.tenant_id AND r.account_id = a.id)`,
    values: [before(SWEPT_DAYS.pix), before(SWEPT_DAYS.card)],
  });
  return rowCount ?? 0;
}
