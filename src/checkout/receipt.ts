import type { PaymentRow } from "../ledger/entities.ts";
import type { PaymentLinkRow } from "../links/entities.ts";
import { statusAt } from "../links/link-status.ts";
import type { PriceValues } from "../pricing/entities.ts";
import type { ProviderReceipt } from "../providers/ports.ts";
import type { ChargeRow, ExceptionReason } from "./entities.ts";

/** Why money that came in is not this payment's success; null: it is. */
export function exceptionReason(
  receipt: ProviderReceipt,
  payment: PaymentRow,
  price: PriceValues,
  charge: ChargeRow,
  link: PaymentLinkRow,
): ExceptionReason | null {
  if (payment.status === "succeeded") return "duplicate";
  if (payment.status === "failed" || payment.status === "expired") return "late";
  if (receipt.amountMinor !== price.payerTotalMinor) return "wrong_amount";
  const status = statusAt(link, receipt.paidAt);
  if (status === "completed") return "duplicate";
  // A card that was authorised in time may be answered for later.
  const isInTime = payment.method === "card" || receipt.paidAt <= charge.expiresAt;
  return status === "active" && isInTime ? null : "late";
}
