import type { PaymentRow, PlainPayment } from "../ledger/entities.ts";
import type { PaymentLinkRow } from "../links/entities.ts";
import { secondsAfter } from "../platform/time/clock.ts";
import { ProviderFault } from "../providers/provider-fault.ts";
import type { Decline } from "../providers/decline.ts";
import { meaningOf } from "../providers/registry.ts";
import type { ChargeRow } from "./entities.ts";

/** The reason of a payment whose charge its provider withdrew. */
export const REMOVED = "removed";
/** The reason of a payment whose charge its provider did not make. */
export const REFUSED = "refused";
/** The reason of a card payment whose provider took no more requests. */
export const BUSY = "busy";
// Without a time that its provider named, a charge is not put off for longer.
const SOON_SECONDS = 15;
// A provider may report a payment of the last second a little later.
const GRACE_SECONDS = 60;
// If the provider was asked this often and knows no card charge after this time, it never received the request.
const ANSWER_SECONDS = 120;
const ABSENCES_MIN = 2;
// A provider's review takes hours, or a weekend.
const REVIEW_SECONDS = 345_600;
// After its end, a charge is watched this long for late money.
const WATCHED_SECONDS = 172_800;

/** A charge with its payment and link, at one moment. */
export interface ChargeState {
  readonly charge: ChargeRow;
  readonly payment: PlainPayment;
  readonly link: PaymentLinkRow;
  readonly now: Date;
}

/** The outcome of a payment whose time is over. */
export const EXPIRED = { status: "expired", failureCode: null } as const;

/** Returns the outcome of a payment that was declined. */
export function failedBy(decline: Decline): { status: "failed"; failureCode: string } {
  return { status: "failed", failureCode: meaningOf(decline).code };
}

export function isOver({ status }: Pick<PaymentRow, "status">): boolean {
  return status !== "pending" && status !== "processing";
}

/** Returns true if a payment without news from the provider must end now. */
export function isEndDue({ charge, payment, link, now }: ChargeState): boolean {
  if (isOver(payment)) return false;
  const { reviewedAt, challengeUrl, cardStyle, absentCount, createdAt, expiresAt } = charge;
  if (link.status === "completed" || link.status === "canceled") return true;
  if (reviewedAt != null) return now >= secondsAfter(reviewedAt, REVIEW_SECONDS);
  const isUnanswered =
    payment.status === "processing" &&
    challengeUrl == null &&
    cardStyle !== "redirect" &&
    absentCount >= ABSENCES_MIN &&
    now >= secondsAfter(createdAt, ANSWER_SECONDS);
  return isUnanswered || now >= secondsAfter(expiresAt, GRACE_SECONDS);
}

/**
 * Returns true if a payer's wish to know the outcome may lead to a request to the provider. After the charge's end, news
 * comes by callbacks and the worker's own checks.
 */
export function mayPayerAsk({ charge, payment, now }: Omit<ChargeState, "link">): boolean {
  return !isOver(payment) && now < secondsAfter(charge.expiresAt, GRACE_SECONDS);
}

/** Returns true if no more money is expected for a payment that the service itself ended. */
export function isWatchOver({ charge, payment, now }: ChargeState): boolean {
  return isOver(payment) && now >= secondsAfter(charge.expiresAt, WATCHED_SECONDS);
}

/**
 * Returns when a provider that takes no more requests for now is asked again for a code or page, or when a payer whose card
 * it did not take may try again. Undefined: it is asked soon.
 */
export function askedAgainAt({ charge, payment, now }: Omit<ChargeState, "link">): Date | undefined {
  const { checkAt, declineReason, preparationCount } = charge;
  if (declineReason === BUSY) return checkAt > now ? checkAt : undefined;
  const isPutOff = !isOver(payment) && preparationCount != null && checkAt > secondsAfter(now, SOON_SECONDS);
  return isPutOff ? checkAt : undefined;
}

/** Returns the reason with which a fault ends a payment that is prepared, or null if it is tried again. */
export function endingReason(error: unknown): string | null {
  if (!(error instanceof ProviderFault)) return null;
  if (error.code === REMOVED) return REMOVED;
  return error.kind === "refused" && !error.isConflict ? REFUSED : null;
}
