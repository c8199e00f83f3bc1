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

/** What was asked of a provider last in a session. */
export async function findNewestCharge(
  { orm }: Environment,
  tenantId: string,
  sessionId: string,
): Promise<ChargeRow | null> {
  const [newest] = await orm.em
    .fork()
    .find(Charge, { tenantId, sessionId }, { orderBy: { number: "desc" }, limit: 1 });
  return newest ?? null;
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
  paymentId: string,
  providerPaymentId?: string,
): Promise<PaymentExceptionRow | null> {
  const which = providerPaymentId === undefined ? {} : { providerPaymentId };
  return await orm.em.fork().findOne(PaymentException, { tenantId, paymentId, ...which });
}

export async function listExceptions(
  { orm }: Environment,
  tenantId: string,
  limit: number,
): Promise<PaymentExceptionRow[]> {
  return await orm.em.fork().find(PaymentException, { tenantId }, { orderBy: { id: "desc" }, limit });
}

/** Charges of all tenants that should be at their end: their time is over, or their link takes nothing more. */
export async function listOverdueCharges(
  { pool }: Environment,
  before: Date,
  limit: number,
): Promise<{ tenantId: string; paymentId: string }[]> {
  const { rows } = await pool.query<{ tenantId: string; paymentId: string }>({
    name: "overdue charges",
    text: `SELECT c.tenant_id AS "tenantId", c.payment_id AS "paymentId" FROM charge c
      JOIN checkout_session s ON s.tenant_id = c.tenant_id AND s.id = c.session_id
      JOIN payment_link l ON l.tenant_id = s.tenant_id AND l.id = s.link_id
      WHERE c.is_open AND (c.expires_at <= $1 OR l.status <> 'active') ORDER BY c.expires_at LIMIT $2`,
    values: [before, limit],
  });
  return rows;
}
