import type { Environment } from "../platform/database.ts";
import { isId } from "../../contract/ids.ts";
import type { PaymentMethod } from "../pricing/fee-rule.ts";
import { Payment, PaymentIntent, type PaymentIntentRow, type PaymentRow } from "./entities.ts";
import type { Period } from "../platform/period.ts";
import { asText, COLUMNS, FROM, fromTextRows, type PricedPayment, type TextRow } from "./priced-payment.ts";

/** The position before a page of payments: the page starts after this payment. */
export interface Cursor {
  readonly createdAt: Date;
  readonly id: string;
}

export async function findPricedPayment(
  { pool }: Environment,
  tenantId: string,
  id: string,
): Promise<PricedPayment | undefined> {
  const { rows } = await pool.query<TextRow>({
    name: "priced payment",
    text: `SELECT ${COLUMNS} ${FROM} WHERE p.tenant_id = $1 AND p.id = $2`,
    values: [tenantId, id],
    rowMode: "array",
    types: asText,
  });
  return fromTextRows(rows)[0];
}

/** Returns at most `limit` payments of the period, newest first, starting after `after` if given. */
export async function listPricedPayments(
  { pool }: Environment,
  tenantId: string,
  period: Period,
  after: Cursor | undefined,
  limit: number,
): Promise<PricedPayment[]> {
  const paged = after !== undefined && after.createdAt < period.until;
  // With a separate upper bound, a deep page would read all rows before it.
  const upper = paged ? "p.created_at <= $4 AND (p.created_at, p.id) < ($4, $5)" : "p.created_at < $4";
  const { rows } = await pool.query<TextRow>({
    name: paged ? "next page of payments" : "first page of payments",
    text: `SELECT ${COLUMNS} ${FROM} WHERE p.tenant_id = $1 AND p.created_at >= $2 AND ${upper}
      ORDER BY p.created_at DESC, p.id DESC LIMIT $3`,
    values: paged
      ? [tenantId, period.from, limit, after.createdAt, after.id]
      : [tenantId, period.from, limit, period.until],
    rowMode: "array",
    types: asText,
  });
  return fromTextRows(rows);
}

export async function findCursor(
  environment: Environment,
  tenantId: string,
  id: string,
): Promise<Cursor | undefined> {
  const payment = isId("pay", id) ? await findPayment(environment, tenantId, id) : null;
  return payment ? { createdAt: payment.createdAt, id } : undefined;
}

export async function findPayment(
  { orm }: Environment,
  tenantId: string,
  id: string,
): Promise<PaymentRow | null> {
  return await orm.em.fork().findOne(Payment, { tenantId, id });
}

export async function findPayments(
  { orm }: Environment,
  tenantId: string,
  ids: readonly string[],
): Promise<PaymentRow[]> {
  if (ids.length === 0) return [];
  return await orm.em.fork().find(Payment, { tenantId, id: { $in: [...ids] } });
}

/** Returns true if a payment of the single link has succeeded. */
export async function hasSuccess({ pool }: Environment, tenantId: string, linkId: string): Promise<boolean> {
  const { rowCount } = await pool.query({
    name: "success of a single link",
    text: `SELECT FROM payment WHERE tenant_id = $1 AND link_id = $2 AND status = 'succeeded' AND is_single`,
    values: [tenantId, linkId],
  });
  return rowCount === 1;
}

/** Returns the link's oldest payment in progress by this method, or null if there is none. */
export async function findPendingPayment(
  { orm }: Environment,
  tenantId: string,
  linkId: string,
  method: PaymentMethod,
): Promise<PaymentRow | null> {
  const where = { tenantId, linkId, method, status: { $in: ["pending", "processing"] } } as const;
  const [oldest] = await orm.em.fork().find(Payment, where, { orderBy: { id: "asc" }, limit: 1 });
  return oldest ?? null;
}

export async function findIntent(
  { orm }: Environment,
  tenantId: string,
  id: string,
): Promise<PaymentIntentRow | null> {
  return await orm.em.fork().findOne(PaymentIntent, { tenantId, id });
}
