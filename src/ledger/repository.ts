import type { JsonObject } from "@bufbuild/protobuf";
import type { Environment } from "../platform/database.ts";
import type { Currency, FeeHandling, PaymentMethod } from "../pricing/fee-rule.ts";
import {
  Payment,
  PaymentIntent,
  type PaymentIntentRow,
  type PaymentRow,
  type PaymentStatus,
} from "./entities.ts";
import type { Period } from "./period.ts";

/** A payment with the columns of its price row that the contract shows. Times are Unix seconds. */
export interface PricedPayment {
  readonly id: string;
  readonly linkId: string | null;
  readonly status: PaymentStatus;
  readonly failureCode: string | null;
  readonly reference: string | null;
  readonly metadata: JsonObject;
  readonly createdAt: number;
  readonly updatedAt: number | null;
  readonly method: PaymentMethod;
  readonly installments: number;
  readonly feeHandling: FeeHandling;
  readonly payerTotalMinor: bigint;
  readonly payerCurrency: Currency;
  readonly totalFeeMinor: bigint;
  readonly pricingCurrency: Currency;
  readonly receiverNetMinor: bigint;
  readonly receiverCurrency: Currency;
  readonly rateMicros: bigint | null;
  readonly fxRateHistoryId: bigint | null;
  readonly fxLockedAt: number | null;
  readonly fxValidUntil: number | null;
}

/** Where a page of payments starts: after this one. */
export interface Cursor {
  readonly createdAt: Date;
  readonly id: string;
}

// A bare cast to int rounds: times are stored in whole seconds, and floor keeps them so.
const seconds = (column: string): string => `floor(extract(epoch from ${column}))::int8`;

const COLUMNS = `p.id, p.link_id, p.status, p.failure_code, p.reference, p.metadata::text,
  ${seconds("p.created_at")}, ${seconds("p.updated_at")}, r.method, r.installments, r.fee_handling,
  r.payer_total_minor, r.payer_currency, r.total_fee_minor, r.pricing_currency, r.receiver_net_minor, r.receiver_currency,
  r.rate_micros, r.fx_rate_history_id, ${seconds("r.fx_locked_at")}, ${seconds("r.fx_valid_until")}`;

const FROM = `FROM payment p JOIN price r ON r.tenant_id = p.tenant_id AND r.id = p.price_id`;

const asText = { getTypeParser: () => (text: string) => text };

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
  return rows[0] && fromTextRow(rows[0]);
}

/** At most `limit` payments of the period, newest first, from `after` on when given. */
export async function listPricedPayments(
  { pool }: Environment,
  tenantId: string,
  period: Period,
  after: Cursor | undefined,
  limit: number,
): Promise<PricedPayment[]> {
  const paged = after !== undefined && after.createdAt < period.until;
  // With an upper bound apart from the row comparison a deep page would read all that lies before it.
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
  return rows.map(fromTextRow);
}

export async function findCursor(
  environment: Environment,
  tenantId: string,
  id: string,
): Promise<Cursor | undefined> {
  const payment = await findPayment(environment, tenantId, id);
  return payment ? { createdAt: payment.createdAt, id } : undefined;
}

async function findPayment({ orm }: Environment, tenantId: string, id: string): Promise<PaymentRow | null> {
  return await orm.em.fork().findOne(Payment, { tenantId, id });
}

/** The payment of a link that is under way by this method, the oldest first. */
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

type TextRow = [
  id: string,
  linkId: string | null,
  status: PaymentStatus,
  failureCode: string | null,
  reference: string | null,
  metadata: string,
  createdAt: string,
  updatedAt: string | null,
  method: PaymentMethod,
  installments: string,
  feeHandling: FeeHandling,
  payerTotalMinor: string,
  payerCurrency: Currency,
  totalFeeMinor: string,
  pricingCurrency: Currency,
  receiverNetMinor: string,
  receiverCurrency: Currency,
  rateMicros: string | null,
  fxRateHistoryId: string | null,
  fxLockedAt: string | null,
  fxValidUntil: string | null,
];

function fromTextRow(row: TextRow): PricedPayment {
  return {
    id: row[0],
    linkId: row[1],
    status: row[2],
    failureCode: row[3],
    reference: row[4],
    metadata: row[5] === "{}" ? {} : (JSON.parse(row[5]) as JsonObject),
    createdAt: Number(row[6]),
    updatedAt: row[7] === null ? null : Number(row[7]),
    method: row[8],
    installments: Number(row[9]),
    feeHandling: row[10],
    payerTotalMinor: BigInt(row[11]),
    payerCurrency: row[12],
    totalFeeMinor: BigInt(row[13]),
    pricingCurrency: row[14],
    receiverNetMinor: BigInt(row[15]),
    receiverCurrency: row[16],
    rateMicros: row[17] === null ? null : BigInt(row[17]),
    fxRateHistoryId: row[18] === null ? null : BigInt(row[18]),
    fxLockedAt: row[19] === null ? null : Number(row[19]),
    fxValidUntil: row[20] === null ? null : Number(row[20]),
  };
}
