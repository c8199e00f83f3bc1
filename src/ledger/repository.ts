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
import type { Period } from "../platform/period.ts";

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

// date_part answers a double where extract answers a numeric, which costs twice as much.
// A bare cast to an integer would round: floor keeps whole seconds whole.
const seconds = (column: string): string => `floor(date_part('epoch', ${column}))::int8`;

// What is always short and without a comma comes in one column, and the rate in another: taking a column out of the
// protocol costs more than all else that is done to it.
const COLUMNS = `p.id, p.link_id, p.reference, p.metadata::text,
  concat_ws(',', p.status, coalesce(p.failure_code, ''), ${seconds("p.created_at")},
    coalesce(${seconds("p.updated_at")}::text, ''), r.method, r.installments, r.fee_handling, r.payer_total_minor,
    r.payer_currency, r.total_fee_minor, r.pricing_currency, r.receiver_net_minor, r.receiver_currency),
  CASE WHEN r.rate_micros IS NOT NULL THEN concat_ws(',', r.rate_micros, r.fx_rate_history_id,
    ${seconds("r.fx_locked_at")}, ${seconds("r.fx_valid_until")}) END`;

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

export async function findPayment(
  { orm }: Environment,
  tenantId: string,
  id: string,
): Promise<PaymentRow | null> {
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
  reference: string | null,
  metadata: string,
  words: string,
  rate: string | null,
];

/** The column of words and numbers, in the order of the statement. */
type Words = [
  status: PaymentStatus,
  failureCode: string,
  createdAt: string,
  updatedAt: string,
  method: PaymentMethod,
  installments: string,
  feeHandling: FeeHandling,
  payerTotalMinor: string,
  payerCurrency: Currency,
  totalFeeMinor: string,
  pricingCurrency: Currency,
  receiverNetMinor: string,
  receiverCurrency: Currency,
];

type Rate = [rateMicros: string, rateHistoryId: string, lockedAt: string, validUntil: string];

function fromTextRow([id, linkId, reference, metadata, text, rateText]: TextRow): PricedPayment {
  const words = text.split(",") as Words;
  const rate = rateText === null ? null : (rateText.split(",") as Rate);
  return {
    id,
    linkId,
    reference,
    metadata: metadata === "{}" ? {} : (JSON.parse(metadata) as JsonObject),
    status: words[0],
    failureCode: words[1] === "" ? null : words[1],
    createdAt: Number(words[2]),
    updatedAt: words[3] === "" ? null : Number(words[3]),
    method: words[4],
    installments: Number(words[5]),
    feeHandling: words[6],
    payerTotalMinor: BigInt(words[7]),
    payerCurrency: words[8],
    totalFeeMinor: BigInt(words[9]),
    pricingCurrency: words[10],
    receiverNetMinor: BigInt(words[11]),
    receiverCurrency: words[12],
    rateMicros: rate && BigInt(rate[0]),
    fxRateHistoryId: rate && BigInt(rate[1]),
    fxLockedAt: rate && Number(rate[2]),
    fxValidUntil: rate && Number(rate[3]),
  };
}
