import type { PaymentRow } from "../ledger/entities.ts";
import type { PaymentLinkRow } from "../links/entities.ts";
import type { PriceValues } from "../pricing/entities.ts";
import type { ProviderReceipt } from "../providers/ports.ts";
import { newId } from "../platform/ids.ts";
import type { ChargeRow, ExceptionReason, PaymentExceptionRow } from "./entities.ts";

/**
 * Why money that came in is not this payment's success; null: it is. What counts is when it was paid, not when that was
 * reported: a link that has expired meanwhile was open then. `isPaid` says that another payment was the success.
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
  // A card's holder may take until then to come back from a challenge; the issuer answers after it.
  const isChargeInTime = payment.method === "card" || paidAt <= charge.expiresAt;
  return isLinkInTime && isChargeInTime ? null : "late";
}

/** Money that was not taken as the payment's success. */
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
