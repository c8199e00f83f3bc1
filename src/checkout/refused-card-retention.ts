import { secondsAfter } from "../platform/time/clock.ts";
import type { Environment } from "../platform/db/database.ts";
import type { PayerRetention } from "./payer-retention.ts";

const BATCH = 1000;
const DAY_SECONDS = 86_400;

/**
 * Removes the refused cards of links that take no payment any more, and those that are older than their tenant's
 * retention. It works in batches and skips locked rows. Returns the number of cards.
 */
export async function removeRefusedCards(
  environment: Environment,
  retentions: readonly PayerRetention[],
  now: Date,
): Promise<number> {
  let removed = await removeWhere(
    environment,
    "ended link",
    `EXISTS (SELECT FROM payment_link l WHERE l.tenant_id = c.tenant_id AND l.id = c.link_id
      AND (l.status <> 'active' OR l.expires_at <= $1))`,
    [now],
  );
  for (const { tenantId, days } of retentions) {
    const before = secondsAfter(now, -days * DAY_SECONDS);
    removed += await removeWhere(environment, "tenant", "c.tenant_id = $1 AND c.created_at <= $2", [
      tenantId,
      before,
    ]);
  }
  return removed;
}

async function removeWhere(
  { pool }: Environment,
  name: string,
  condition: string,
  values: readonly unknown[],
): Promise<number> {
  for (let removed = 0; ;) {
    const { rowCount } = await pool.query({
      name: `remove refused cards: ${name}`,
      text: `DELETE FROM refused_card WHERE (tenant_id, link_id, card_hash) IN (
          SELECT c.tenant_id, c.link_id, c.card_hash FROM refused_card c
          WHERE ${condition} LIMIT ${BATCH} FOR UPDATE SKIP LOCKED
        )`,
      values: [...values],
    });
    removed += rowCount ?? 0;
    if ((rowCount ?? 0) < BATCH) return removed;
  }
}
