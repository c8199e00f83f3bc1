import { secondsAfter } from "../../platform/time/clock.ts";
import type { ProviderReturn, RefundRequest } from "../ports.ts";

type Answer = Pick<ProviderReturn, "status" | "reason" | "endedAt">;

/** Refunds of exactly these centavos do not succeed at once. Merchants' tests rely on them, so they stay as they are. */
export const REHEARSED_REFUNDS = {
  /** Fails: the balance at the provider is lower. */
  insufficientBalance: 101n,
  /** Fails for a reason that has no failure code. */
  failed: 102n,
  /** Is in processing for `SLOW_SECONDS`, and then succeeds. */
  slow: 103n,
} as const;

/** How long a slow refund is in processing. */
export const SLOW_SECONDS = 30;

/** Returns when the money of a refund leaves that was asked for then. */
export function leavesAt({
  amountMinor,
  requestedAt,
}: Pick<RefundRequest, "amountMinor" | "requestedAt">): Date {
  return amountMinor === REHEARSED_REFUNDS.slow ? secondsAfter(requestedAt, SLOW_SECONDS) : requestedAt;
}

/** Returns what the sandbox says of a refund whose money leaves then. */
export function refundAnswer(amountMinor: bigint, leaves: Date, now: Date): Answer {
  if (amountMinor === REHEARSED_REFUNDS.insufficientBalance) {
    return { status: "failed", reason: "insufficient_balance", endedAt: leaves };
  }
  if (amountMinor === REHEARSED_REFUNDS.failed) {
    return { status: "failed", reason: "refused_by_bank", endedAt: leaves };
  }
  if (amountMinor === REHEARSED_REFUNDS.slow && leaves > now) {
    return { status: "processing", reason: null, endedAt: null };
  }
  return { status: "succeeded", reason: null, endedAt: leaves };
}
