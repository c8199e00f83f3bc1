import type { PricedPayment } from "../ledger/priced-payment.ts";

/**
 * Returns the state of a payment for its seal: its id, status and the Unix time of its last change. SQL can compare
 * this text with payments without parsing rows. Every change of a payment changes its status.
 */
export function sealedState({
  id,
  status,
  updatedAt,
}: Pick<PricedPayment, "id" | "status" | "updatedAt">): string {
  return `${id} ${status} ${updatedAt ?? ""}`;
}

/** The same text for the current payment `p`, in SQL. */
export const STATE_NOW = `concat(p.id, ' ', p.status, ' ', floor(date_part('epoch', p.updated_at))::int8)`;
