import type { PaymentRow } from "../ledger/entities.ts";
import type { PaymentLinkRow } from "../links/entities.ts";
import { secondsAfter } from "../platform/clock.ts";
import { declineCodeOf } from "../providers/decline-code.ts";
import type { ChargeRow } from "./entities.ts";

// A provider may report a payment of the last second a little later.
const GRACE_SECONDS = 60;
// If the provider knows no card charge after this time, it never received the request.
const ANSWER_SECONDS = 120;
// After its end, a charge is watched this long for late money.
const WATCHED_SECONDS = 172_800;

/** A charge with its payment and link, at one moment. */
export interface ChargeState {
  readonly charge: ChargeRow;
  readonly payment: PaymentRow;
  readonly link: PaymentLinkRow;
  readonly now: Date;
}

/** The outcome of a payment whose time is over. */
export const EXPIRED = { status: "expired", failureCode: null } as const;

/** Returns the outcome of a payment that the provider declined, from the provider's reason. */
export function failedBy(reason: string): { status: "failed"; failureCode: string } {
  return { status: "failed", failureCode: declineCodeOf(reason) };
}

export function isOver({ status }: Pick<PaymentRow, "status">): boolean {
  return status !== "pending" && status !== "processing";
}

/** Returns true if a payment without news from the provider must end now. */
export function isEndDue({ charge, payment, link, now }: ChargeState): boolean {
  if (isOver(payment)) return false;
  const isUnanswered =
    payment.status === "processing" &&
    charge.challengeUrl == null &&
    now >= secondsAfter(charge.createdAt, ANSWER_SECONDS);
  const isClosed = link.status === "completed" || link.status === "canceled";
  return isUnanswered || isClosed || now >= secondsAfter(charge.expiresAt, GRACE_SECONDS);
}

/** Returns true if no more money is expected for a payment that the service itself ended. */
export function isWatchOver({ charge, payment, now }: ChargeState): boolean {
  return isOver(payment) && now >= secondsAfter(charge.expiresAt, WATCHED_SECONDS);
}
