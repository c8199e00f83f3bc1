import type { PaymentRow } from "../ledger/entities.ts";
import type { PaymentLinkRow } from "../links/entities.ts";
import type { PriceValues } from "../pricing/entities.ts";
import type { ProviderReceipt } from "../providers/ports.ts";
import type { ChargeRow, ExceptionReason } from "./entities.ts";

/**
 * Why money that came in is not this payment's success; null: it is. What counts is when it was paid, not when that was
 * told: a link that has expired meanwhile was open then.
 */
export function exceptionReason(
  { amountMinor, paidAt }: ProviderReceipt,
  payment: PaymentRow,
  price: PriceValues,
  charge: ChargeRow,
  link: PaymentLinkRow,
): ExceptionReason | null {
  if (payment.status === "succeeded") return "duplicate";
  if (payment.status === "failed" || payment.status === "expired") return "late";
  if (amountMinor !== price.payerTotalMinor) return "wrong_amount";
  if (link.status === "completed") return "duplicate";
  const isLinkInTime = link.status !== "canceled" && (!link.expiresAt || paidAt < link.expiresAt);
  // A card's holder may take until then to come back from a challenge; the issuer answers after it.
  const isChargeInTime = payment.method === "card" || paidAt <= charge.expiresAt;
  return isLinkInTime && isChargeInTime ? null : "late";
}
