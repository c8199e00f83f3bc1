import type pg from "pg";
import { update } from "../platform/change.ts";
import { wholeSecond, type Clock } from "../platform/clock.ts";
import type { Mode } from "../platform/caller.ts";
import type { Environment } from "../platform/database.ts";
import { inTransaction } from "../platform/transaction.ts";
import type { RecordEvent } from "../webhooks/event.ts";
import { PaymentLink, type PaymentLinkRow } from "./entities.ts";
import { toPaymentLink } from "./mapping.ts";

const BATCH = 100;

export interface ExpiryDeps {
  readonly environment: Environment;
  readonly mode: Mode;
  readonly clock: Clock;
  readonly checkoutBase: string;
  readonly recordEvent: RecordEvent;
}

/**
 * Writes down that links are past their time, each with its event, once. Any number of workers may do it at a time.
 * Answers how many.
 */
export async function expireDue(deps: ExpiryDeps): Promise<number> {
  let expired = 0;
  for (let count = BATCH; count === BATCH; expired += count) count = await expireBatch(deps);
  return expired;
}

async function expireBatch(deps: ExpiryDeps): Promise<number> {
  const { environment, mode, clock, checkoutBase, recordEvent } = deps;
  const now = wholeSecond(clock);
  return await inTransaction(environment.pool, async (client) => {
    const links = await lockDue(environment, client, now);
    for (const link of links) {
      const { tenantId, id } = link;
      const paymentLink = toPaymentLink(mode, link, "expired", checkoutBase);
      const data = { paymentLink };
      const content = { type: "link.expired", objectId: id, reference: paymentLink.reference, data } as const;
      await environment.committer.write(client, [
        update(PaymentLink, { tenantId, id, status: "active" }, { status: "expired", updatedAt: now }),
        ...(await recordEvent({ tenantId, mode }, content)),
      ]);
    }
    return links.length;
  });
}

/** Holds links that are due and that nobody else holds. */
async function lockDue({ orm }: Environment, client: pg.PoolClient, now: Date): Promise<PaymentLinkRow[]> {
  const { rows } = await client.query<{ tenantId: string; id: string }>({
    name: "lock due links",
    text: `SELECT tenant_id AS "tenantId", id FROM payment_link WHERE status = 'active' AND expires_at <= $1
      ORDER BY expires_at LIMIT ${BATCH} FOR UPDATE SKIP LOCKED`,
    values: [now],
  });
  if (rows.length === 0) return [];
  return await orm.em.fork().find(PaymentLink, { $or: rows });
}
