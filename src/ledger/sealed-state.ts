import type { PricedPayment } from "./priced-payment.ts";

/**
 * Where a payment stood when it was sealed, as a text that SQL can hold against payments without reading rows: its id,
 * status and the Unix time of its last change. Whatever becomes of a payment changes its status.
 */
export function sealedState({
  id,
  status,
  updatedAt,
}: Pick<PricedPayment, "id" | "status" | "updatedAt">): string {
  return `${id} ${status} ${updatedAt ?? ""}`;
}

/** The same of payment `p`, in SQL. */
export const STATE_NOW = `concat(p.id, ' ', p.status, ' ', floor(date_part('epoch', p.updated_at))::int8)`;
