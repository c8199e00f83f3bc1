import type { PricedPayment } from "../ledger/priced-payment.ts";

/**
 * Returns the state of a payment for its seal: its id, status, the Unix time of its last change, and what has gone back
 * of it if there is any. SQL can compare this text with payments without parsing rows. Every change of a payment changes
 * its status or what has gone back.
 */
export function sealedState({
  id,
  status,
  updatedAt,
  refundedMinor,
}: Pick<PricedPayment, "id" | "status" | "updatedAt" | "refundedMinor">): string {
  return `${id} ${status} ${updatedAt ?? ""}${refundedMinor === 0n ? "" : ` ${refundedMinor}`}`;
}

/** The same text for the current payment `p`, in SQL. */
export const STATE_NOW = `concat(p.id, ' ', p.status, ' ', floor(date_part('epoch', p.updated_at))::int8,
  ' ' || nullif(p.refunded_minor, 0))`;
