import type pg from "pg";
import { TIME_ZONE } from "../../contract/day.ts";
import type { WordOf } from "../../contract/enum-words.ts";
import type { PaymentOrder as OrderEnum } from "../../gen/paylink/ledger/v1/ledger_pb.ts";
import type { Currency, PaymentMethod } from "../pricing/fee-rule.ts";
import type { PaymentStatus } from "./entities.ts";
import { conditionOf, type PaymentFilter } from "./payment-filter.ts";
import { asText, COLUMNS, FROM, fromTextRows, type PricedPayment, type TextRow } from "./priced-payment.ts";
import { STATE, type PaymentState } from "./payment-state.ts";
import type { Cursor } from "./repository.ts";

/** A pool, or one of its connections. */
export type Queries = Pick<pg.PoolClient, "query">;

/** Payments with these values in common, counted and summed. */
export interface PaymentSum {
  /** YYYY-MM-DD in São Paulo; null if the sum covers several days. */
  readonly day: string | null;
  readonly grossCurrency: Currency;
  readonly netCurrency: Currency;
  readonly feeCurrency: Currency;
  /** Null if the sum covers all methods. */
  readonly method: PaymentMethod | null;
  readonly status: PaymentStatus;
  readonly paymentCount: bigint;
  readonly grossMinor: bigint;
  readonly feeMinor: bigint;
  readonly netMinor: bigint;
  /** Null if the sum covers several states of a status. */
  readonly state: PaymentState | null;
  /** Undefined of a seal, which does not have it. */
  readonly refundedMinor?: bigint;
}

/** The orders of a search, by their words. */
type PaymentOrder = WordOf<typeof OrderEnum>;

// Their keys, and how a row after another one compares with it.
const ORDERS: Readonly<
  Record<Exclude<PaymentOrder, "created_desc">, readonly [key: string, direction: "ASC" | "DESC"]>
> = {
  created_asc: ["created_at", "ASC"],
  gross_desc: ["payer_total_minor", "DESC"],
  gross_asc: ["payer_total_minor", "ASC"],
};

/** As `searchPayments`, in another order than newest first. It reads every payment that matches. */
export async function searchOrdered(
  client: Queries,
  tenantId: string,
  filter: PaymentFilter,
  order: keyof typeof ORDERS,
  after: Pick<Cursor, "id"> | undefined,
  limit: number,
): Promise<PricedPayment[]> {
  const [name, direction] = ORDERS[order];
  const [table, sign] = [name === "created_at" ? "p" : "r", direction === "ASC" ? ">" : "<"];
  const values: unknown[] = [];
  let condition = conditionOf(tenantId, filter, values);
  if (after) {
    values.push(after.id);
    const place = `SELECT ${table}.${name}, p.id ${FROM} WHERE p.tenant_id = $1 AND p.id = $${values.length}`;
    condition += ` AND (${table}.${name}, p.id) ${sign} (${place})`;
  }
  values.push(limit);
  const { rows } = await client.query<TextRow>({
    text: `SELECT ${COLUMNS} ${FROM} WHERE ${condition}
      ORDER BY ${table}.${name} ${direction}, p.id ${direction} LIMIT $${values.length}`,
    values,
    rowMode: "array",
    types: asText,
  });
  return fromTextRows(rows);
}

/** Returns at most `limit` payments that match the filter, newest first, starting after `after` if given. */
export async function searchPayments(
  client: Queries,
  tenantId: string,
  filter: PaymentFilter,
  after: Cursor | undefined,
  limit: number,
): Promise<PricedPayment[]> {
  const { period, query } = filter;
  const values: unknown[] = [];
  let condition: string;
  // What is typed is mostly found few times: the index of the order would lead to each payment's price one by one.
  const isSorted = query !== undefined && period !== undefined && after === undefined;
  const time = isSorted ? "p.created_at + interval '0'" : "p.created_at";
  if (after !== undefined && (!period || after.createdAt < period.until)) {
    // The cursor is the period's upper bound: with a separate bound, a deep page would read all rows before it.
    const until = new Date(after.createdAt.getTime() + 1);
    condition = conditionOf(tenantId, { ...filter, period: period && { ...period, until } }, values);
    values.push(after.createdAt, after.id);
    condition += ` AND (p.created_at, p.id) < ($${values.length - 1}, $${values.length})`;
  } else condition = conditionOf(tenantId, filter, values);
  values.push(limit);
  const { rows } = await client.query<TextRow>({
    text: `SELECT ${COLUMNS} ${FROM} WHERE ${condition} ORDER BY ${time} DESC, p.id DESC LIMIT $${values.length}`,
    values,
    rowMode: "array",
    types: asText,
  });
  return fromTextRows(rows);
}

/** Yields every payment that matches the filter, newest first, in pages, starting after `begin` if given. */
export async function* paymentPages(
  client: Queries,
  tenantId: string,
  filter: PaymentFilter,
  size: number,
  begin?: Cursor,
): AsyncGenerator<PricedPayment[]> {
  let after = begin;
  for (;;) {
    const page = await searchPayments(client, tenantId, filter, after, size);
    if (page.length > 0) yield page;
    const last = page.at(-1);
    if (!last || page.length < size) return;
    after = { createdAt: new Date(last.createdAt * 1000), id: last.id };
  }
}

// Text keeps a sum exact, however large it is.
type SumRow = Readonly<
  Record<"paymentCount" | "grossMinor" | "feeMinor" | "netMinor" | "refundedMinor", string>
> &
  Pick<PaymentSum, "day" | "grossCurrency" | "netCurrency" | "feeCurrency" | "method" | "status" | "state">;

/** Returns the counts and sums of exactly those payments that `searchPayments` finds. */
export async function summarizePayments(
  client: Queries,
  tenantId: string,
  filter: PaymentFilter,
  { byDay = false, byState = false }: { readonly byDay?: boolean; readonly byState?: boolean } = {},
): Promise<PaymentSum[]> {
  const values: unknown[] = [];
  const condition = conditionOf(tenantId, filter, values);
  const day = byDay ? `to_char(p.created_at AT TIME ZONE '${TIME_ZONE}', 'YYYY-MM-DD')` : "NULL::text";
  const { rows } = await client.query<SumRow>(
    `SELECT ${day} AS day, r.payer_currency AS "grossCurrency", r.receiver_currency AS "netCurrency",
      r.pricing_currency AS "feeCurrency", r.method, p.status, ${byState ? STATE : "NULL::text"} AS state,
      count(*)::text AS "paymentCount",
      sum(r.payer_total_minor)::text AS "grossMinor", sum(r.total_fee_minor)::text AS "feeMinor",
      sum(r.receiver_net_minor)::text AS "netMinor", sum(p.refunded_minor)::text AS "refundedMinor"
    ${FROM} WHERE ${condition} GROUP BY 1, 2, 3, 4, 5, 6, 7 ORDER BY 1 DESC, 2, 3, 4, 5, 6, 7`,
    values,
  );
  return rows.map(({ paymentCount, grossMinor, feeMinor, netMinor, refundedMinor, ...common }) => ({
    ...common,
    paymentCount: BigInt(paymentCount),
    grossMinor: BigInt(grossMinor),
    feeMinor: BigInt(feeMinor),
    netMinor: BigInt(netMinor),
    refundedMinor: BigInt(refundedMinor),
  }));
}

/** Returns the sums over all methods, in the order of the input. */
export function totalsOf(sums: readonly PaymentSum[]): PaymentSum[] {
  return merged(sums.map((sum) => ({ ...sum, method: null })));
}

/** Returns the sums of succeeded payments over all methods and states, in the order of the input. */
export function paidOf(sums: readonly PaymentSum[]): PaymentSum[] {
  const paid = sums.filter(({ status }) => status === "succeeded");
  return merged(paid.map((sum) => ({ ...sum, method: null, state: null })));
}

/** Returns one sum for all that have the same in common. */
function merged(sums: readonly PaymentSum[]): PaymentSum[] {
  const groups = Map.groupBy(sums, ({ day, grossCurrency, netCurrency, feeCurrency, status, state }) =>
    [day, grossCurrency, netCurrency, feeCurrency, status, state].join(" "),
  );
  return [...groups.values()].map((same) => same.reduce(added));
}

function added(total: PaymentSum, sum: PaymentSum): PaymentSum {
  const refunded =
    total.refundedMinor === undefined || sum.refundedMinor === undefined
      ? {}
      : { refundedMinor: total.refundedMinor + sum.refundedMinor };
  return {
    ...total,
    ...refunded,
    paymentCount: total.paymentCount + sum.paymentCount,
    grossMinor: total.grossMinor + sum.grossMinor,
    feeMinor: total.feeMinor + sum.feeMinor,
    netMinor: total.netMinor + sum.netMinor,
  };
}
