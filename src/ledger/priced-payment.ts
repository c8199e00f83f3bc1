import type { JsonObject } from "@bufbuild/protobuf";
import { objectsOf } from "../../contract/json-text.ts";
import type { Currency, FeeHandling, PaymentMethod } from "../pricing/fee-rule.ts";
import type { PaymentStatus } from "./entities.ts";

/** A payment with the columns of its price row that the contract shows. Times are Unix seconds. */
export interface PricedPayment {
  readonly id: string;
  readonly linkId: string | null;
  readonly status: PaymentStatus;
  readonly failureCode: string | null;
  readonly reference: string | null;
  /** Unparsed where it is long, until it is looked into. */
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
  /** Centavos that have gone back to the payer. */
  readonly refundedMinor: bigint;
  readonly endToEndId: string | null;
}

// date_part returns a double; extract returns a numeric, which costs twice as much. A bare cast to an integer would
// round; floor keeps whole seconds whole.
const seconds = (column: string): string => `floor(date_part('epoch', ${column}))::int8`;

// Short values without commas share one column, and the rate has another: decoding a column of the protocol costs more
// than all other work on it. The refunded amount is last, where concat_ws leaves it out if there is none.
/** The columns of a priced payment, for a query whose rows are arrays of texts. */
export const COLUMNS = `p.id, p.link_id, p.reference, p.metadata::text,
  concat_ws(',', p.status, coalesce(p.failure_code, ''), ${seconds("p.created_at")},
    coalesce(${seconds("p.updated_at")}::text, ''), r.method, r.installments, r.fee_handling, r.payer_total_minor,
    r.payer_currency, r.total_fee_minor, r.pricing_currency, r.receiver_net_minor, r.receiver_currency,
    coalesce(p.end_to_end_id, ''), nullif(p.refunded_minor, 0)),
  CASE WHEN r.rate_micros IS NOT NULL THEN concat_ws(',', r.rate_micros, r.fx_rate_history_id,
    ${seconds("r.fx_locked_at")}, ${seconds("r.fx_valid_until")}) END`;

/** COLUMNS with the version of the payment's row, which every change of it renews. Its price's row never changes. */
export const VERSIONED_COLUMNS = `${COLUMNS}, p.xmin::text`;

/** The payment `p` with its price `r`. */
export const FROM = `FROM payment p JOIN price r ON r.tenant_id = p.tenant_id AND r.id = p.price_id`;

/** A type configuration that leaves every column as text. */
export const asText = { getTypeParser: () => (text: string) => text };

/** A row of COLUMNS. */
export type TextRow = [
  id: string,
  linkId: string | null,
  reference: string | null,
  metadata: string,
  words: string,
  rate: string | null,
];

/** A row of VERSIONED_COLUMNS. */
export type VersionedRow = [...columns: TextRow, version: string];

/** The column of words and numbers, in the order of the query. */
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
  endToEndId: string,
  refundedMinor?: string,
];

type Rate = [rateMicros: string, rateHistoryId: string, lockedAt: string, validUntil: string];

/** Returns the payments of rows of COLUMNS. */
export function fromTextRows(rows: readonly (TextRow | VersionedRow)[]): PricedPayment[] {
  const metadata = objectsOf(rows.map((row) => row[3]));
  return rows.map((row, index) => fromTextRow(row, metadata[index] as JsonObject));
}

function fromTextRow(
  [id, linkId, reference, , text, rateText]: TextRow | VersionedRow,
  metadata: JsonObject,
): PricedPayment {
  const words = text.split(",") as Words;
  const rate = rateText === null ? null : (rateText.split(",") as Rate);
  return {
    id,
    linkId,
    reference,
    metadata,
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
    endToEndId: words[13] === "" ? null : words[13],
    refundedMinor: words[14] === undefined ? 0n : BigInt(words[14]),
  };
}
