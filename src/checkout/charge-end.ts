import type { PaymentRow } from "../ledger/entities.ts";
import type { PaymentLinkRow } from "../links/entities.ts";
import { secondsAfter } from "../platform/clock.ts";
import { declineCodeOf } from "../providers/decline-code.ts";
import type { ChargeRow } from "./entities.ts";

// What was paid in the last second may be told of a little later.
const GRACE_SECONDS = 60;
// A provider that knows of no card charge by then was never asked.
const ANSWER_SECONDS = 120;
// After its end a charge is watched for money that comes late.
const WATCHED_SECONDS = 172_800;

/** A charge with its payment and link, at a moment. */
export interface ChargeState {
  readonly charge: ChargeRow;
  readonly payment: PaymentRow;
  readonly link: PaymentLinkRow;
  readonly now: Date;
}

/** How a payment ends whose time is over. */
export const EXPIRED = { status: "expired", failureCode: null } as const;

/** How a payment ends that a provider refused, by the provider's own word. */
export function failedBy(reason: string): { status: "failed"; failureCode: string } {
  return { status: "failed", failureCode: declineCodeOf(reason) };
}

export function isOver({ status }: Pick<PaymentRow, "status">): boolean {
  return status !== "pending" && status !== "processing";
}

/** Whether a payment that the provider has nothing new of is to be ended. */
export function isEndDue({ charge, payment, link, now }: ChargeState): boolean {
  if (isOver(payment)) return false;
  const isUnanswered =
    payment.status === "processing" &&
    charge.challengeUrl == null &&
    now >= secondsAfter(charge.createdAt, ANSWER_SECONDS);
  const isClosed = link.status === "completed" || link.status === "canceled";
  return isUnanswered || isClosed || now >= secondsAfter(charge.expiresAt, GRACE_SECONDS);
}

/** Whether no money is expected any more for a payment that we ended ourselves. */
export function isWatchOver({ charge, payment, now }: ChargeState): boolean {
  return isOver(payment) && now >= secondsAfter(charge.expiresAt, WATCHED_SECONDS);
}
