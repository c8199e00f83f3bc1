import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { wordsOf } from "../../contract/enum-words.ts";
import {
  ListedRefundSchema,
  PaymentReturnSchema,
  RefundSchema,
  RefundFailureCode,
  RefundSumSchema,
  RefundStatus,
  type ListedRefund,
  type PaymentReturn,
  type Refund,
  type RefundSum as RefundSumMessage,
} from "../../gen/paylink/refunds/v1/refunds_pb.ts";
import { stampOf } from "../platform/time/timestamps.ts";
import type { RefundRow } from "./entities.ts";
import type { RefundSum } from "./refund-sums.ts";

const statuses = wordsOf(RefundStatus);
const failures = wordsOf(RefundFailureCode);
// What payers are charged in.
const CURRENCY = "BRL";

export function toRefund(row: RefundRow): Refund {
  return create(RefundSchema, {
    id: row.id,
    paymentId: row.paymentId,
    amount: row.amountMinor,
    currency: CURRENCY,
    status: statuses.numbers[row.status],
    reason: row.reason ?? undefined,
    createdAt: timestampFromDate(row.createdAt),
    updatedAt: stampOf(row.updatedAt),
    exceptionId: row.exceptionId ?? undefined,
    failureCode: row.status === "failed" ? failures.numberOf(row.failureReason ?? "") : undefined,
  });
}

export function toReturn(row: RefundRow): PaymentReturn {
  const { id, paymentId, amountMinor, createdAt, reason, reversedAt } = row;
  return create(PaymentReturnSchema, {
    id,
    paymentId,
    amount: amountMinor,
    currency: CURRENCY,
    createdAt: timestampFromDate(createdAt),
    reason: reason ?? undefined,
    reversedAt: stampOf(reversedAt),
  });
}

export function toListedRefund(row: RefundRow): ListedRefund {
  const { origin } = row;
  return create(
    ListedRefundSchema,
    origin === "merchant" ? { refund: toRefund(row) } : { paymentReturn: toReturn(row) },
  );
}

export function toRefundSum({ amountMinor, reversedMinor, ...sum }: RefundSum): RefundSumMessage {
  const amounts = { amount: amountMinor, reversedAmount: reversedMinor };
  return create(RefundSumSchema, { ...sum, ...amounts, currency: CURRENCY });
}
