import { create } from "@bufbuild/protobuf";
import { timestampFromMs, type Timestamp } from "@bufbuild/protobuf/wkt";
import { wordsOf } from "../../../contract/enum-words.ts";
import { PaymentSchema, PaymentStatus, type Payment } from "../../../gen/paylink/ledger/v1/ledger_pb.ts";
import { FeeHandling, PaymentMethod } from "../../../gen/paylink/pricing/v1/pricing_pb.ts";
import { readRow } from "./csv.ts";

const [statuses, handlings, methods] = [wordsOf(PaymentStatus), wordsOf(FeeHandling), wordsOf(PaymentMethod)];

/**
 * Returns the payment of a sealed row, every value as the row has it, without what people's files leave out: its rate,
 * decline code and metadata. Throws Error on another text.
 */
export function rowPayment(text: string): Payment {
  const row = readRow(text);
  return create(PaymentSchema, {
    id: row.id,
    ...(row.link_id === null ? {} : { linkId: row.link_id }),
    status: statuses.numberOf(row.status) ?? PaymentStatus.UNSPECIFIED,
    ...(row.reference === null ? {} : { reference: row.reference }),
    createdAt: time(row.created_at),
    ...(row.updated_at === null ? {} : { updatedAt: time(row.updated_at) }),
    amount: BigInt(row.amount),
    currency: row.currency,
    grossAmount: BigInt(row.gross_amount),
    grossCurrency: row.gross_currency,
    feeAmount: BigInt(row.fee_amount),
    feeCurrency: row.fee_currency,
    netAmount: BigInt(row.net_amount),
    netCurrency: row.net_currency,
    feeHandling: handlings.numberOf(row.fee_handling) ?? FeeHandling.UNSPECIFIED,
    paymentMethod: methods.numberOf(row.payment_method) ?? PaymentMethod.UNSPECIFIED,
    ...(row.installments === null ? {} : { installments: row.installments }),
    ...(row.refunded_amount === undefined ? {} : { refundedAmount: BigInt(row.refunded_amount) }),
    ...(row.end_to_end_id === undefined ? {} : { endToEndId: row.end_to_end_id }),
  });
}

function time(seconds: number): Timestamp {
  return timestampFromMs(seconds * 1000);
}
