import { secondsAfter } from "../platform/time/clock.ts";
import type { ProviderReturn } from "../providers/ports.ts";
import type { RefundRow } from "./entities.ts";

// By then the request that made the refund has its answer, or its process is gone.
export const FIRST_CHECK_SECONDS = 15;
/** The reason of a return by which a card holder's bank took the money back. */
export const CHARGEBACK = "chargeback";
/** More than a provider is waited for: what it was asked for only once is looked for then. */
export const SENT_CHECK_SECONDS = 40;
// By then a slow provider has carried it out, or never will.
const MISSING_SECONDS = 600;
const ENDED = "ended";
// A bank's front may refuse what its core carries out, and may not find it for a while.
const ABSENCES_MIN = 3;
const ABSENT_SECONDS_MIN = 120;

/** What a provider reports of money that goes back. */
type Reported = Pick<ProviderReturn, "status" | "reason" | "amountMinor" | "deniedMinor" | "mayExceed">;

/**
 * A provider's answer about money that goes back. "missing": a person ends what may have left, as the provider does not
 * have it. "refused": it did not accept the request. "absent": it was asked about
 * a request that it had refused, and does not have it.
 */
export type Answer =
  | Reported
  | { readonly status: "refused"; readonly reason: string }
  | { readonly status: "absent" }
  | { readonly status: "missing" };

export function isFinal({ status }: Pick<RefundRow, "status">): boolean {
  return status === "succeeded" || status === "failed";
}

/** Returns true if a refund was sent so long ago that its provider should have it. */
export function isMissing({ sentAt }: Pick<RefundRow, "sentAt">, now: Date): boolean {
  return sentAt != null && now >= secondsAfter(sentAt, MISSING_SECONDS);
}

/** Returns true if it is a card holder's bank that takes the money back. */
export function isChargeback({ origin, reason }: Pick<RefundRow, "origin" | "reason">): boolean {
  return origin === "provider" && reason === CHARGEBACK;
}

/** A provider's other texts may hold what a payer wrote: they stay inside. */
export function namesChargeback(reason: string | null): boolean {
  return reason?.split(" ")[0] === CHARGEBACK;
}

/**
 * Returns what a provider reports of a merchant's refund without what it gave back beyond that: `surplusOf` it is a return.
 */
export function withinAsked<Answered extends Reported>(refund: RefundRow, reported: Answered): Answered {
  if (reported.mayExceed !== true || refund.origin !== "merchant") return reported;
  const { amountMinor: givenMinor, deniedMinor = 0n } = reported;
  const restMinor = leastOf(givenMinor + deniedMinor, refund.amountMinor + refund.unbookedMinor);
  const mostMinor = refund.status === "succeeded" ? refund.amountMinor : restMinor;
  const amountMinor = leastOf(givenMinor, mostMinor);
  return { ...reported, amountMinor, deniedMinor: restMinor - amountMinor };
}

/** Returns the return of what a provider gave back by a merchant's refund beyond its amount, or undefined if there is none. */
export function surplusOf(refund: RefundRow, reported: ProviderReturn): ProviderReturn | undefined {
  const amountMinor = reported.amountMinor - withinAsked(refund, reported).amountMinor;
  if (amountMinor <= 0n || reported.status !== "succeeded") return undefined;
  return { ...reported, id: `${reported.id} surplus`, amountMinor, deniedMinor: 0n };
}

function leastOf(one: bigint, other: bigint): bigint {
  return one < other ? one : other;
}

/**
 * Returns true if what a provider reports is of the refund's amount. What it denied of a refund counts until the rest is
 * booked. A chargeback has the amount that its last answer says. `restMinor`: what of it was booked later.
 */
export function isOfAmount(
  refund: RefundRow,
  { amountMinor, deniedMinor = 0n }: Reported,
  restMinor = 0n,
): boolean {
  if (isChargeback(refund) && !isFinal(refund)) return true;
  const isBooked = refund.origin === "merchant" && refund.status === "succeeded";
  if (isBooked && amountMinor !== refund.amountMinor) return false;
  const toldMinor = refund.origin === "merchant" ? amountMinor + deniedMinor : amountMinor;
  return toldMinor === refund.amountMinor + refund.unbookedMinor + restMinor;
}

/**
 * Returns money that has left with what of it can be booked, or undefined if it cannot. A chargeback takes what is left
 * of its payment, whatever went back before. Of the others, as many as fit are booked, each whole.
 */
export function withinLeft(refund: RefundRow, leftMinor: bigint): RefundRow | undefined {
  if (!isChargeback(refund)) return refund.amountMinor <= leftMinor ? refund : undefined;
  const toldMinor = refund.amountMinor + refund.unbookedMinor;
  const amountMinor = toldMinor < leftMinor ? toldMinor : leftMinor;
  if (amountMinor <= 0n) return undefined;
  return { ...refund, amountMinor, unbookedMinor: toldMinor - amountMinor };
}

/**
 * Returns the refund after an answer, or undefined if the answer changes nothing. A refusal alone ends nothing. It has
 * failed when its provider says so, or does not have it again and again for a time after the refusal. One that failed
 * succeeds all the same if its provider is found to have given the money back. A chargeback that was lost is reversed if
 * its provider says later that its money did not leave: the merchant has won it.
 */
export function afterAnswer(refund: RefundRow, answer: Answer, now: Date): RefundRow | undefined {
  if (refund.status === "succeeded") {
    const isWon = isChargeback(refund) && answer.status === "failed" && refund.reversedAt == null;
    return isWon ? { ...refund, reversedAt: now } : undefined;
  }
  if (refund.status === "failed" && answer.status !== "succeeded") return undefined;
  if (answer.status === "refused") return afterRefusal(refund, answer.reason, now);
  if (answer.status === "absent") return afterAbsence(refund, now);
  if (answer.status === "missing") {
    return isMissing(refund, now)
      ? { ...refund, status: "failed", failureReason: ENDED, updatedAt: now }
      : undefined;
  }
  const { status, reason } = answer;
  if (status === refund.status && refund.refusedAt == null) return undefined;
  const failureReason = status === "failed" ? reason : null;
  const after = { ...refund, status, failureReason, refusedAt: null, absenceCount: 0, updatedAt: now };
  return status === "succeeded" ? { ...after, ...leftOf(refund, answer) } : after;
}

/** Returns the amounts of money that has left: what was denied of it stays. */
function leftOf(
  { origin }: RefundRow,
  { amountMinor, deniedMinor = 0n }: Reported,
): Pick<RefundRow, "amountMinor" | "unbookedMinor"> {
  return { amountMinor, unbookedMinor: origin === "merchant" ? deniedMinor : 0n };
}

function afterRefusal(refund: RefundRow, failureReason: string, now: Date): RefundRow {
  const checkAt = secondsAfter(now, FIRST_CHECK_SECONDS);
  const refused = { failureReason, refusedAt: now, absenceCount: 0, checkAt };
  return { ...refund, ...refused, status: "processing", updatedAt: now };
}

function afterAbsence(refund: RefundRow, now: Date): RefundRow | undefined {
  if (refund.refusedAt == null) return undefined;
  const absenceCount = refund.absenceCount + 1;
  const isCertain = absenceCount >= ABSENCES_MIN && now >= secondsAfter(refund.refusedAt, ABSENT_SECONDS_MIN);
  return isCertain
    ? { ...refund, absenceCount, status: "failed", updatedAt: now }
    : { ...refund, absenceCount };
}
