import type pg from "pg";
import { NO_ENTRY } from "../platform/audit-trail.ts";
import { update } from "../platform/change.ts";
import { wholeSecond, type Clock } from "../platform/clock.ts";
import type { Mode } from "../platform/caller.ts";
import type { Environment } from "../platform/database.ts";
import { sweep, type Found } from "../platform/sweep.ts";
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

interface DueLink extends Found {
  readonly id: string;
}

/**
 * Sets links past their time to expired, each once and with its event. Any number of workers may run it at a time.
 * Returns the number of links.
 */
export async function expireDue(deps: ExpiryDeps): Promise<number> {
  const { pool } = deps.environment;
  const now = wholeSecond(deps.clock);
  return await sweep<DueLink>({
    pool,
    batch: BATCH,
    find: async (limit, exceptTenants) => await findDue(pool, now, limit, exceptTenants),
    change: async (client, tenantId, due) => {
      const links = await lockDue(deps.environment, client, tenantId, due, now);
      for (const link of links) await expire(deps, client, link, now);
      return links.length;
    },
  });
}

async function expire(
  { environment, mode, checkoutBase, recordEvent }: ExpiryDeps,
  client: pg.PoolClient,
  link: PaymentLinkRow,
  now: Date,
): Promise<void> {
  const { tenantId, id } = link;
  const paymentLink = toPaymentLink(mode, link, "expired", checkoutBase);
  const data = { paymentLink };
  const content = { type: "link.expired", objectId: id, reference: paymentLink.reference, data } as const;
  await environment.committer.write(
    client,
    [
      update(PaymentLink, { tenantId, id, status: "active" }, { status: "expired", updatedAt: now }),
      ...(await recordEvent({ tenantId, mode }, content)),
    ],
    NO_ENTRY,
  );
}

/** Returns due links, the longest due first. */
async function findDue(
  pool: pg.Pool,
  now: Date,
  limit: number,
  exceptTenants: readonly string[],
): Promise<DueLink[]> {
  const { rows } = await pool.query<DueLink>({
    name: "find due links",
    text: `SELECT tenant_id AS "tenantId", id FROM payment_link
      WHERE status = 'active' AND expires_at <= $1 AND tenant_id <> ALL ($3) ORDER BY expires_at LIMIT $2`,
    values: [now, limit, exceptTenants],
  });
  return rows;
}

/** Locks those of a tenant's links that are still due and that no other transaction has locked. */
async function lockDue(
  { orm }: Environment,
  client: pg.PoolClient,
  tenantId: string,
  due: readonly DueLink[],
  now: Date,
): Promise<PaymentLinkRow[]> {
  const { rows } = await client.query<{ id: string }>({
    name: "lock due links",
    text: `SELECT id FROM payment_link
      WHERE tenant_id = $1 AND id = ANY ($2) AND status = 'active' AND expires_at <= $3
      ORDER BY id FOR UPDATE SKIP LOCKED`,
    values: [tenantId, due.map(({ id }) => id), now],
  });
  if (rows.length === 0) return [];
  const ids = rows.map(({ id }) => id);
  return await orm.em.fork().find(PaymentLink, { tenantId, id: { $in: ids } }, { orderBy: { id: "asc" } });
}
