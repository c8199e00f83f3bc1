import type pg from "pg";
import type { Environment } from "../platform/db/database.ts";
import { GroupedQuery } from "../platform/db/grouped-query.ts";
import { RowQuery } from "../platform/db/row-query.ts";
import { isId } from "../../contract/ids.ts";
import { PriceRow, type PriceValues } from "../pricing/entities.ts";
import type { PaymentMethod } from "../pricing/fee-rule.ts";
import {
  Payment,
  PaymentIntent,
  type PaymentIntentRow,
  type PaymentRow,
  type PlainPayment,
} from "./entities.ts";
import type { Period } from "../platform/time/period.ts";
import {
  asText,
  COLUMNS,
  FROM,
  fromTextRows,
  VERSIONED_COLUMNS,
  type PricedPayment,
  type TextRow,
  type VersionedRow,
} from "./priced-payment.ts";

/** The position before a page of payments: the page starts after this payment. */
export interface Cursor {
  readonly createdAt: Date;
  readonly id: string;
}

/** A payment's row in one of its states: `version` is another one after each change. */
export interface Version {
  readonly id: string;
  readonly version: string;
}

export interface VersionedPayment {
  readonly payment: PricedPayment;
  readonly version: string;
}

const PAYMENT = new RowQuery(
  "payment",
  { payment: Payment },
  "FROM payment WHERE tenant_id = $1 AND id = $2",
);
const PENDING = new RowQuery(
  "oldest payment in progress of a link by a method",
  { payment: Payment, price: PriceRow },
  `FROM payment JOIN price ON price.tenant_id = payment.tenant_id AND price.id = payment.price_id
    WHERE payment.tenant_id = $1 AND payment.link_id = $2 AND payment.method = $3
      AND payment.status IN ('pending', 'processing')
    ORDER BY payment.id LIMIT 1`,
);
const INTENT = new RowQuery(
  "intent",
  { intent: PaymentIntent },
  "FROM payment_intent intent WHERE tenant_id = $1 AND id = $2",
);
const PRICED = new GroupedQuery<TextRow>({
  name: "priced payment",
  text: `SELECT ${COLUMNS} ${FROM} WHERE p.tenant_id = $1 AND p.id = $2`,
  parameters: ["text", "text"],
  types: asText,
});
const NEWEST_FIRST = "ORDER BY p.created_at DESC, p.id DESC LIMIT $3";

export async function findPricedPayment(
  { pool }: Environment,
  tenantId: string,
  id: string,
): Promise<PricedPayment | undefined> {
  return fromTextRows(await PRICED.rows(pool, [tenantId, id]))[0];
}

/** Returns at most `limit` payments of the period, newest first, starting after `after`. */
export async function listPaymentsAfter(
  { pool }: Environment,
  tenantId: string,
  period: Period,
  after: Cursor,
  limit: number,
): Promise<PricedPayment[]> {
  // With a separate upper bound, a deep page would read all rows before it.
  const isInside = after.createdAt < period.until;
  const upper = isInside ? "p.created_at <= $4 AND (p.created_at, p.id) < ($4, $5)" : "p.created_at < $4";
  const { rows } = await pool.query<TextRow>({
    name: isInside ? "next page of payments" : "page of payments after a later one",
    text: `SELECT ${COLUMNS} ${FROM} WHERE p.tenant_id = $1 AND p.created_at >= $2 AND ${upper} ${NEWEST_FIRST}`,
    values: isInside
      ? [tenantId, period.from, limit, after.createdAt, after.id]
      : [tenantId, period.from, limit, period.until],
    rowMode: "array",
    types: asText,
  });
  return fromTextRows(rows);
}

/** Returns at most `limit` payments of the period, newest first, with the versions of their rows. */
export async function listVersionedPayments(
  { pool }: Environment,
  tenantId: string,
  { from, until }: Period,
  limit: number,
): Promise<VersionedPayment[]> {
  const { rows } = await pool.query<VersionedRow>({
    name: "first page of payments",
    text: `SELECT ${VERSIONED_COLUMNS} ${FROM}
      WHERE p.tenant_id = $1 AND p.created_at >= $2 AND p.created_at < $4 ${NEWEST_FIRST}`,
    values: [tenantId, from, limit, until],
    rowMode: "array",
    types: asText,
  });
  return fromVersionedRows(rows);
}

/** Returns ids and versions alone of what `listVersionedPayments` returns: a fifth of its cost. */
export async function listVersions(
  { pool }: Environment,
  tenantId: string,
  { from, until }: Period,
  limit: number,
): Promise<Version[]> {
  // One text costs less than a row for each. The subquery's order is that of what is joined.
  const { rows } = await pool.query<[string | null]>({
    name: "versions of the first page of payments",
    text: `SELECT string_agg(listed.version, ',') FROM (SELECT p.id || ' ' || p.xmin AS version FROM payment p
      WHERE p.tenant_id = $1 AND p.created_at >= $2 AND p.created_at < $4 ${NEWEST_FIRST}) AS listed`,
    values: [tenantId, from, limit, until],
    rowMode: "array",
    types: asText,
  });
  const text = rows[0]?.[0] ?? "";
  return text === "" ? [] : text.split(",").map(versionOf);
}

export async function findVersionedPayments(
  { pool }: Environment,
  tenantId: string,
  ids: readonly string[],
): Promise<VersionedPayment[]> {
  const { rows } = await pool.query<VersionedRow>({
    name: "payments of a page",
    text: `SELECT ${VERSIONED_COLUMNS} ${FROM} WHERE p.tenant_id = $1 AND p.id = ANY($2)`,
    values: [tenantId, ids],
    rowMode: "array",
    types: asText,
  });
  return fromVersionedRows(rows);
}

function versionOf(text: string): Version {
  const space = text.indexOf(" ");
  return { id: text.slice(0, space), version: text.slice(space + 1) };
}

function fromVersionedRows(rows: readonly VersionedRow[]): VersionedPayment[] {
  return fromTextRows(rows).map((payment, index) => ({ payment, version: rows[index]?.[6] ?? "" }));
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
  environment: Environment,
  tenantId: string,
  id: string,
): Promise<PaymentRow | null> {
  return (await PAYMENT.first(environment, [tenantId, id]))?.payment ?? null;
}

/** Returns the payments without their metadata: a payer's page reads up to ten, each time that it is asked for. */
export async function findPayments(
  { orm }: Environment,
  tenantId: string,
  ids: readonly string[],
): Promise<PlainPayment[]> {
  if (ids.length === 0) return [];
  return await orm.em.fork().find(Payment, { tenantId, id: { $in: [...ids] } }, { exclude: ["metadata"] });
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

/** Returns true if a payment of the link is in progress, by any method. */
export async function hasPaymentInProgress(
  client: Pick<pg.PoolClient, "query">,
  tenantId: string,
  linkId: string,
): Promise<boolean> {
  const { rowCount } = await client.query({
    name: "payment in progress of a link",
    text: `SELECT FROM payment
      WHERE tenant_id = $1 AND link_id = $2 AND status IN ('pending', 'processing') LIMIT 1`,
    values: [tenantId, linkId],
  });
  return rowCount === 1;
}

/** A payment with its price. */
export interface PaymentWithPrice {
  readonly payment: PaymentRow;
  readonly price: PriceValues;
}

/** Returns the link's oldest payment in progress by this method with its price, or undefined if there is none. */
export async function findPendingPayment(
  environment: Environment,
  tenantId: string,
  linkId: string,
  method: PaymentMethod,
): Promise<PaymentWithPrice | undefined> {
  return await PENDING.first(environment, [tenantId, linkId, method]);
}

export async function findIntent(
  environment: Environment,
  tenantId: string,
  id: string,
): Promise<PaymentIntentRow | null> {
  return (await INTENT.first(environment, [tenantId, id]))?.intent ?? null;
}
