import type { PlainPayment } from "../ledger/entities.ts";
import type { PaymentLinkRow } from "../links/entities.ts";
import { canceledAt } from "../links/link-status.ts";
import type { PriceValues } from "../pricing/entities.ts";
import { secondsAfter } from "../platform/time/clock.ts";
import type { ProviderReceipt } from "../providers/ports.ts";
import { newId } from "../../contract/ids.ts";
import type { ChargeRow, ExceptionReason, PaymentExceptionRow } from "./entities.ts";

// A bank may take a payment of the last second a little later.
const GRACE_SECONDS = 60;
// How far a provider's clock may be behind ours.
const BEHIND_SECONDS_MAX = 300;
const END_TO_END_ID = /^E\d{8}[0-9A-Za-z]{23}$/;

/**
 * Returns a report whose time of payment is not before its charge and not after now. One that is earlier than clocks may
 * differ is untrue, and the charge's own time takes its place; one that is later is of a clock that is ahead of ours. The
 * money is real, and its refund is possible for a time from then on.
 */
export function inItsTime(receipt: ProviderReceipt, { createdAt }: ChargeRow, now: Date): ProviderReceipt {
  const { paidAt } = receipt;
  if (paidAt < secondsAfter(createdAt, -BEHIND_SECONDS_MAX)) return { ...receipt, paidAt: createdAt };
  // `now` is the beginning of its second.
  return paidAt >= secondsAfter(now, 1) ? { ...receipt, paidAt: now } : receipt;
}

/**
 * Returns the end-to-end id of a PIX charge's money, or null. Some providers say an id of their own instead; the sandbox's,
 * of a charge without an account, is one.
 */
export function endToEndIdOf(
  { endToEndId, providerPaymentId }: Pick<ProviderReceipt, "endToEndId" | "providerPaymentId">,
  { method }: Pick<PlainPayment, "method">,
  { accountId }: Pick<ChargeRow, "accountId">,
): string | null {
  const id = endToEndId ?? providerPaymentId;
  return method === "pix" && (accountId == null || END_TO_END_ID.test(id)) ? id : null;
}

/**
 * Returns the reason why money is not this payment's success, or null if it is. The time of payment counts, not the
 * time of the report: payment and link may have expired in between. `isPaid` is true if another payment has succeeded.
 */
export function exceptionReason(
  { amountMinor, paidAt }: ProviderReceipt,
  payment: PlainPayment,
  price: PriceValues,
  charge: ChargeRow,
  link: PaymentLinkRow,
  isPaid: boolean,
): ExceptionReason | null {
  const { status, method } = payment;
  if (status === "succeeded") return "duplicate";
  if (status === "failed" || (status === "expired" && !isBeforeEnd(paidAt, payment, charge))) return "late";
  if (amountMinor !== price.payerTotalMinor) return "wrong_amount";
  if (isPaid) return "duplicate";
  if (link.status === "canceled" && !isBeforeCancellation(paidAt, payment, link)) return "late";
  // The charge ends with its link at the latest.
  if (method === "pix") return isInTime(paidAt, charge) ? null : "late";
  if (link.expiresAt && paidAt >= link.expiresAt && !isDoneBefore(link.expiresAt, payment, charge))
    return "late";
  // A card's holder may return from a challenge until then; the issuer answers later.
  return method === "card" || isInTime(paidAt, charge) ? null : "late";
}

/** Returns true for PIX that the bank had before its link was canceled. */
function isBeforeCancellation(paidAt: Date, { method }: PlainPayment, link: PaymentLinkRow): boolean {
  const end = canceledAt(link);
  return method === "pix" && end !== null && paidAt < end;
}

/**
 * Returns true for a card whose payer has done all that they can before the link's end: it was under review by then, or
 * was sent to its issuer, who asks its holder for nothing more and answers some seconds later.
 */
function isDoneBefore(end: Date, { method }: PlainPayment, charge: ChargeRow): boolean {
  const { reviewedAt, cardStyle, challengeUrl, createdAt } = charge;
  if (reviewedAt != null && reviewedAt < end) return true;
  return method === "card" && cardStyle === "token" && challengeUrl == null && createdAt < end;
}

function isInTime(paidAt: Date, { expiresAt }: ChargeRow): boolean {
  return paidAt <= secondsAfter(expiresAt, GRACE_SECONDS);
}

/** Returns true if money came before the end of a payment that we ended, by its time or earlier. */
function isBeforeEnd(paidAt: Date, { updatedAt }: PlainPayment, charge: ChargeRow): boolean {
  return isInTime(paidAt, charge) && (!updatedAt || updatedAt >= charge.expiresAt || paidAt < updatedAt);
}

/**
 * Returns when money is given back by itself, or null if a person decides. In a wrong amount it may be a part of a price that
 * the payer still pays, or an agreed discount; a bank transfer goes back by a transfer.
 */
function refundTime(
  { method }: PlainPayment,
  { reason, refundMinor, refundHours, now }: NewException,
): Date | null {
  const isForPerson = reason === "wrong_amount" || method === "ted" || refundMinor === 0n;
  return refundHours === 0 || isForPerson ? null : secondsAfter(now, refundHours * 3600);
}

interface NewException {
  readonly reason: ExceptionReason;
  readonly refundMinor: bigint;
  /** The tenant's setting; 0: never by itself. */
  readonly refundHours: number;
  readonly now: Date;
}

/** Returns a new exception: money that was not accepted as the payment's success. */
export function newException(
  payment: PlainPayment,
  { payerTotalMinor: expectedMinor }: PriceValues,
  { providerPaymentId, amountMinor, paidAt: receivedAt }: ProviderReceipt,
  given: NewException,
): PaymentExceptionRow {
  const { tenantId, id: paymentId } = payment;
  const refundAt = refundTime(payment, given);
  const { reason, refundMinor: proposedRefundMinor, now: createdAt } = given;
  const money = {
    providerPaymentId,
    amountMinor,
    expectedMinor,
    proposedRefundMinor,
    receivedAt,
    createdAt,
    refundAt,
  };
  return { tenantId, id: newId("exc"), paymentId, reason, refundReservedMinor: 0n, ...money };
}
