import type { PaymentRow } from "../ledger/entities.ts";
import type { PaymentLinkRow } from "../links/entities.ts";
import type { PriceValues } from "../pricing/entities.ts";
import type { ProviderReceipt } from "../providers/ports.ts";
import { newId } from "../../contract/ids.ts";
import type { ChargeRow, ExceptionReason, PaymentExceptionRow } from "./entities.ts";

/**
 * Returns the reason why money is not this payment's success, or null if it is. The time of payment counts, not the
 * time of the report: the link may have expired in between. `isPaid` is true if another payment has succeeded.
 */
export function exceptionReason(
  { amountMinor, paidAt }: ProviderReceipt,
  payment: PaymentRow,
  price: PriceValues,
  charge: ChargeRow,
  link: PaymentLinkRow,
  isPaid: boolean,
): ExceptionReason | null {
  if (payment.status === "succeeded") return "duplicate";
  if (payment.status === "failed" || payment.status === "expired") return "late";
  if (amountMinor !== price.payerTotalMinor) return "wrong_amount";
  if (isPaid) return "duplicate";
  const isLinkInTime = link.status !== "canceled" && (!link.expiresAt || paidAt < link.expiresAt);
  // A card's holder may return from a challenge until then; the issuer answers later.
  const isChargeInTime = payment.method === "card" || paidAt <= charge.expiresAt;
  return isLinkInTime && isChargeInTime ? null : "late";
}

/** Returns a new exception: money that was not accepted as the payment's success. */
export function newException(
  { tenantId, id: paymentId }: PaymentRow,
  { payerTotalMinor: expectedMinor }: PriceValues,
  { providerPaymentId, amountMinor, paidAt: receivedAt }: ProviderReceipt,
  given: { readonly reason: ExceptionReason; readonly refundMinor: bigint; readonly now: Date },
): PaymentExceptionRow {
  const { reason, refundMinor: proposedRefundMinor, now: createdAt } = given;
  const money = { providerPaymentId, amountMinor, expectedMinor, proposedRefundMinor, receivedAt, createdAt };
  return { tenantId, id: newId("exc"), paymentId, reason, ...money };
}
