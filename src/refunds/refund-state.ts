import { secondsAfter } from "../platform/clock.ts";
import type { ProviderReturn } from "../providers/ports.ts";
import type { RefundRow } from "./entities.ts";

// By then the request that made the refund has its answer, or its process is gone.
export const FIRST_CHECK_SECONDS = 15;
// A bank's front may refuse what its core carries out, and may not find it for a while.
const ABSENCES_MIN = 3;
const ABSENT_SECONDS_MIN = 120;

/** What a provider tells of money that goes back. */
type Told = Pick<ProviderReturn, "status" | "reason" | "amountMinor">;

/**
 * A provider's answer about money that goes back. "refused": it did not accept the request. "absent": it was asked about
 * a request that it had refused, and does not have it.
 */
export type Answer =
  | Told
  | { readonly status: "refused"; readonly reason: string }
  | { readonly status: "absent" };

export function isFinal({ status }: Pick<RefundRow, "status">): boolean {
  return status === "succeeded" || status === "failed";
}

/**
 * Returns the refund after an answer, or undefined if the answer changes nothing. A refusal alone ends nothing. It has
 * failed when its provider says so, or does not have it again and again for a time after the refusal. One that failed
 * succeeds all the same if its provider is found to have given the money back.
 */
export function afterAnswer(refund: RefundRow, answer: Answer, now: Date): RefundRow | undefined {
  if (refund.status === "succeeded") return undefined;
  if (refund.status === "failed" && answer.status !== "succeeded") return undefined;
  if (answer.status === "refused") return afterRefusal(refund, answer.reason, now);
  if (answer.status === "absent") return afterAbsence(refund, now);
  const { status, reason } = answer;
  if (status === refund.status && refund.refusedAt == null) return undefined;
  const failureReason = status === "failed" ? reason : null;
  return { ...refund, status, failureReason, refusedAt: null, absenceCount: 0, updatedAt: now };
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
