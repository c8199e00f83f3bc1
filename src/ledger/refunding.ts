import type { InferEntity } from "@mikro-orm/core";
import { insert, insertAll, update, type Change } from "../platform/write/change.ts";
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
export function reserveOfPayment({ tenantId, id, refundReservedMinor }: PaymentRow, byMinor: bigint): Change {
  const where = { tenantId, id, status: "succeeded", refundReservedMinor } as const;
  return update(Payment, where, { refundReservedMinor: refundReservedMinor + byMinor });
}

/** Returns the payment after money has left it, with the changes that write it and its entry in the books. */
export function bookLeftMoney(
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
      ...insertEntry({ tenantId, paymentId, kind, sourceId }, lines, now),
    ],
  };
}

/** Money of a return that leaves a payment, or comes back to it. */
export interface MovedReturn extends Omit<LeftMoney, "kind" | "reservedMinor"> {
  readonly kind: "return" | "return_reversal";
}

/**
 * Returns the payment after money of returns has moved in this order, with what had left it without each, and with the
 * changes that write it and their entries. That of money that came back is the opposite of that of the last money that
 * left, so that what is booked depends on the sum that is gone alone.
 */
export function moveReturns(
  payment: PaymentRow,
  price: PriceValues,
  moves: readonly MovedReturn[],
  now: Date,
): { payment: PaymentRow; beforesMinor: bigint[]; changes: Change[] } {
  const { tenantId, id: paymentId, refundedMinor, refundReservedMinor } = payment;
  const beforesMinor: bigint[] = [];
  const entries: Change[] = [];
  let goneMinor = refundedMinor;
  for (const { kind, sourceId, amountMinor, feeRule } of moves) {
    const isBack = kind === "return_reversal";
    const beforeMinor = isBack ? goneMinor - amountMinor : goneMinor;
    const step = { beforeMinor, afterMinor: beforeMinor + amountMinor };
    const lines = refundLines(price, step, feeRule);
    entries.push(
      ...insertEntry({ tenantId, paymentId, kind, sourceId }, isBack ? lines.map(opposite) : lines, now),
    );
    beforesMinor.push(beforeMinor);
    goneMinor = isBack ? beforeMinor : step.afterMinor;
  }
  const where = { tenantId, id: paymentId, status: "succeeded", refundedMinor, refundReservedMinor } as const;
  const set = {
    refundedMinor: goneMinor,
    refundReservedMinor: refundReservedMinor + goneMinor - refundedMinor,
    updatedAt: now,
  };
  return {
    payment: { ...payment, ...set },
    beforesMinor,
    changes: [update(Payment, where, set), ...entries],
  };
}

function opposite({ debitMinor, creditMinor, ...line }: Line): Line {
  return { ...line, debitMinor: creditMinor, creditMinor: debitMinor };
}

function insertEntry(
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
