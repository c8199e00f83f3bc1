import { insert, insertAll, type Change } from "../platform/write/change.ts";
import { dayOf } from "../platform/time/business-days.ts";
import type { PriceValues } from "../pricing/entities.ts";
import { LedgerEntry, LedgerLine, Settlement, type PaymentRow } from "./entities.ts";
import { successLines } from "./postings.ts";

/** Returns the changes that book a success: its entry with its lines, and its settlement. */
export function bookSuccess(
  { tenantId, id: paymentId, createdAt, updatedAt }: PaymentRow,
  price: PriceValues,
  termDays: number,
): Change[] {
  const bookedAt = updatedAt ?? createdAt;
  const kind = "payment" as const;
  const lines = successLines(price).map((line, index) => ({
    ...line,
    tenantId,
    paymentId,
    kind,
    sourceId: "",
    number: index + 1,
  }));
  const succeededOn = dayOf(bookedAt).toString();
  return [
    insert(LedgerEntry, { tenantId, paymentId, kind, sourceId: "", bookedAt }),
    insertAll(LedgerLine, lines),
    insert(Settlement, { tenantId, paymentId, succeededOn, termDays, settledAt: null }),
  ];
}
