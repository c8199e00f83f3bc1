import { insert, insertAll, update, type Change } from "../platform/change.ts";
import type { PriceValues } from "../pricing/entities.ts";
import { LedgerEntry, LedgerLine, Payment, type PaymentRow } from "./entities.ts";
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
      insert(LedgerEntry, { tenantId, paymentId, kind, sourceId, bookedAt: now }),
      insertAll(
        LedgerLine,
        lines.map((line, index) => ({ ...line, tenantId, paymentId, kind, sourceId, number: index + 1 })),
      ),
    ],
  };
}
