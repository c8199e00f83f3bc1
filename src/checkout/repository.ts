import type { Environment } from "../platform/database.ts";
import { PriceRow, type PriceValues } from "../pricing/entities.ts";
import {
  Charge,
  CheckoutOption,
  CheckoutSession,
  PaymentException,
  type ChargeRow,
  type CheckoutSessionRow,
  type PaymentExceptionRow,
} from "./entities.ts";

/** A session with the prices of its options, in the order of the options. */
export interface PricedSession {
  readonly session: CheckoutSessionRow;
  readonly prices: readonly PriceValues[];
}

export async function findSession(
  { orm }: Environment,
  tenantId: string,
  linkId: string,
  id: string,
): Promise<PricedSession | undefined> {
  const em = orm.em.fork();
  const session = await em.findOne(CheckoutSession, { tenantId, id, linkId });
  if (!session) return undefined;
  const options = await em.find(CheckoutOption, { tenantId, sessionId: id }, { orderBy: { number: "asc" } });
  const ids = options.map(({ priceId }) => priceId);
  const rows = await em.find(PriceRow, { tenantId, id: { $in: ids } });
  const byId = new Map(rows.map((row) => [row.id, row]));
  return { session, prices: ids.map((priceId) => byId.get(priceId)).filter((row) => row !== undefined) };
}

/** What was asked of providers in a session, the newest first. */
export async function listCharges(
  { orm }: Environment,
  tenantId: string,
  sessionId: string,
): Promise<ChargeRow[]> {
  return await orm.em.fork().find(Charge, { tenantId, sessionId }, { orderBy: { number: "desc" } });
}

export async function findCharge(
  { orm }: Environment,
  tenantId: string,
  where: { readonly paymentId: string } | { readonly reference: string },
): Promise<ChargeRow | null> {
  return await orm.em.fork().findOne(Charge, { tenantId, ...where });
}

export async function findException(
  { orm }: Environment,
  tenantId: string,
  paymentIds: readonly string[],
  providerPaymentId?: string,
): Promise<PaymentExceptionRow | null> {
  const which = providerPaymentId === undefined ? {} : { providerPaymentId };
  return await orm.em
    .fork()
    .findOne(PaymentException, { tenantId, paymentId: { $in: [...paymentIds] }, ...which });
}

export async function listExceptions(
  { orm }: Environment,
  tenantId: string,
  limit: number,
): Promise<PaymentExceptionRow[]> {
  return await orm.em.fork().find(PaymentException, { tenantId }, { orderBy: { id: "desc" }, limit });
}

/**
 * Takes charges of all tenants that are to be looked after now, and sets the next time: later each time, and not past the
 * charge's own end. What one worker took, or failed at, another takes then.
 */
export async function takeDueCharges(
  { pool }: Environment,
  now: Date,
  limit: number,
): Promise<{ tenantId: string; paymentId: string }[]> {
  const { rows } = await pool.query<{ tenantId: string; paymentId: string }>({
    name: "take due charges",
    text: `WITH due AS (
        SELECT tenant_id, payment_id FROM charge WHERE is_open AND check_at <= $1
        ORDER BY check_at LIMIT $2 FOR UPDATE SKIP LOCKED
      )
      UPDATE charge c SET check_at = least(
          $1::timestamptz + greatest(interval '15 seconds', least(($1 - c.created_at) / 2, interval '6 hours')),
          CASE WHEN c.expires_at + interval '60 seconds' > $1 THEN c.expires_at + interval '60 seconds' END)
      FROM due WHERE c.tenant_id = due.tenant_id AND c.payment_id = due.payment_id
      RETURNING c.tenant_id AS "tenantId", c.payment_id AS "paymentId"`,
    values: [now, limit],
  });
  return rows;
}
