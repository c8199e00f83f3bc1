import { secondsAfter } from "../platform/time/clock.ts";
import type { Environment } from "../platform/db/database.ts";

const BATCH = 1000;
const DAY_SECONDS = 86_400;

/** For how many days a tenant keeps what payers were asked to give. */
export interface PayerRetention {
  readonly tenantId: string;
  readonly days: number;
}

/**
 * Erases what payers gave for payments that began before their tenant's retention, but for charges that are open: money
 * of them may still come. It works in batches and skips locked rows. Returns the number of payments.
 */
export async function erasePastPayers(
  environment: Environment,
  retentions: readonly PayerRetention[],
  now: Date,
): Promise<number> {
  let erased = 0;
  for (const retention of retentions) erased += await eraseOf(environment, retention, now);
  return erased;
}

async function eraseOf(
  { pool }: Environment,
  { tenantId, days }: PayerRetention,
  now: Date,
): Promise<number> {
  let erased = 0;
  for (;;) {
    const { rowCount } = await pool.query({
      name: "erase past payers",
      text: `UPDATE charge SET sealed_payer = NULL, payer_words = NULL, card_token_hash = NULL, card_last_four = NULL,
          payer_erased_at = $3
        WHERE tenant_id = $1 AND payment_id IN (
          SELECT payment_id FROM charge
          WHERE tenant_id = $1 AND sealed_payer IS NOT NULL AND NOT is_open AND created_at <= $2
          ORDER BY created_at LIMIT ${BATCH} FOR UPDATE SKIP LOCKED
        )`,
      values: [tenantId, secondsAfter(now, -days * DAY_SECONDS), now],
    });
    erased += rowCount ?? 0;
    if ((rowCount ?? 0) < BATCH) return erased;
  }
}
