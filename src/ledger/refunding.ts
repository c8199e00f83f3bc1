import type { InferEntity } from "@mikro-orm/core";
import { insert, insertAll, update, type Change } from "../platform/change.ts";
import type { PriceValues } from "../pricing/entities.ts";
import { LedgerEntry, LedgerLine, Payment, type PaymentRow } from "./entities.ts";
import type { Line } from "./postings.ts";
import { refundLines, type RefundFeeRule } from "./refund-postings.ts";

/** Money that has left a payment, as the books name it. */
export interface LeftMoney {
  readonly kind: "refund" | "return";
  readonly sourceId: string;
  readonly amountMinor: bigint;
  readonly feeRule: RefundFeeRule;
  /** What of the payment was reserved for it: what is more or less is reserved or freed together with its entry. */
  readonly reservedMinor: bigint;
}

/**
 * Returns the change that reserves an amount of a payment for going back, or frees it if it is negative. Of two at
 * once, the commit of the second fails.
 */
export function reserved({ tenantId, id, refundReservedMinor }: PaymentRow, byMinor: bigint): Change {
  const where = { tenantId, id, status: "succeeded", refundReservedMinor } as const;
  return update(Payment, where, { refundReservedMinor: refundReservedMinor + byMinor });
}

/** Returns the payment after money has left it, with the changes that write it and its entry in the books. */
export function refunded(
  payment: PaymentRow,
  price: PriceValues,
  { kind, sourceId, amountMinor, feeRule, reservedMinor }: LeftMoney,
  now: Date,
): { payment: PaymentRow; changes: Change[] } {
  const { tenantId, id: paymentId, refundedMinor: beforeMinor, refundReservedMinor } = payment;
  const afterMinor = beforeMinor + amountMinor;
  const byMinor = amountMinor - reservedMinor;
  const where = { tenantId, id: paymentId, status: "succeeded", refundedMinor: beforeMinor } as const;
  const set = {
    refundedMinor: afterMinor,
    refundReservedMinor: refundReservedMinor + byMinor,
    updatedAt: now,
  };
  const lines = refundLines(price, { beforeMinor, afterMinor }, feeRule);
  return {
    payment: { ...payment, ...set },
    changes: [
      update(Payment, { ...where, refundReservedMinor }, set),
      ...entered({ tenantId, paymentId, kind, sourceId }, lines, now),
    ],
  };
}

/**
 * Returns the payment after money of a return has come back, with the changes that write it and its entry: the opposite
 * of that of the last money that left, so that what is booked depends on the sum that is gone alone.
 */
export function returnReversed(
  payment: PaymentRow,
  price: PriceValues,
  { sourceId, amountMinor, feeRule }: Omit<LeftMoney, "kind" | "reservedMinor">,
  now: Date,
): { payment: PaymentRow; changes: Change[] } {
  const { tenantId, id: paymentId, refundedMinor, refundReservedMinor } = payment;
  const where = { tenantId, id: paymentId, status: "succeeded", refundedMinor, refundReservedMinor } as const;
  const beforeMinor = refundedMinor - amountMinor;
  const set = {
    refundedMinor: beforeMinor,
    refundReservedMinor: refundReservedMinor - amountMinor,
    updatedAt: now,
  };
  const lines = refundLines(price, { beforeMinor, afterMinor: refundedMinor }, feeRule).map(
    ({ debitMinor, creditMinor, ...line }) => ({ ...line, debitMinor: creditMinor, creditMinor: debitMinor }),
  );
  const of = { tenantId, paymentId, kind: "return_reversal", sourceId } as const;
  return {
    payment: { ...payment, ...set },
    changes: [update(Payment, where, set), ...entered(of, lines, now)],
  };
}

function entered(
  of: Pick<InferEntity<typeof LedgerEntry>, "tenantId" | "paymentId" | "kind" | "sourceId">,
  lines: readonly Line[],
  bookedAt: Date,
): Change[] {
  return [
    insert(LedgerEntry, { ...of, bookedAt }),
    insertAll(
      LedgerLine,
      lines.map((line, index) => ({ ...line, ...of, number: index + 1 })),
    ),
  ];
}
