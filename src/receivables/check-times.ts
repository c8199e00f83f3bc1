import { startOfDay } from "../../contract/day.ts";
import { secondsAfter } from "../platform/time/clock.ts";
import type { InstallmentFacts, SettlementFacts } from "../providers/card-port.ts";
import { ProviderFault } from "../providers/provider-fault.ts";
import { isOpen, outstandingMinor } from "./facts.ts";

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
// A provider that does not pay on its day is asked so often, and after a week once a day.
const OVERDUE_SECONDS = 6 * HOUR;
const LATE_SECONDS = 7 * DAY;
// A day's credits are there by noon.
const NOON_SECONDS = 12 * HOUR;
// Anticipations and contests whose callbacks are lost are found within so many seconds.
const CALM_SECONDS = 7 * DAY;
const FIRST_SECONDS_MIN = 15 * MINUTE;
const SILENT_SECONDS_MAX = 30 * DAY;
const UNPAID_SECONDS_MAX = 180 * DAY;

/**
 * Returns when a provider is asked next about the money of a charge that was paid then, or null: never again. It is asked
 * until each installment is settled and each contest decided, at most 180 days past the last expected day. Without any
 * facts it is asked for 30 days.
 */
export function nextCheck(facts: SettlementFacts, paidAt: Date, now: Date): Date | null {
  const { installments, disputes, isIncomplete } = facts;
  if (installments.length === 0) {
    const ageSeconds = secondsSince(paidAt, now);
    if (ageSeconds > SILENT_SECONDS_MAX) return null;
    return secondsAfter(now, Math.min(DAY, Math.max(FIRST_SECONDS_MIN, Math.floor(ageSeconds / 2))));
  }
  const isContested = disputes.some(isOpen);
  const open = installments.filter((one) => outstandingMinor(one) !== 0n);
  if (open.length === 0 && !isContested && isIncomplete !== true) return null;
  const last = daysOf(installments).at(-1) ?? paidAt;
  if (secondsSince(last, now) > UNPAID_SECONDS_MAX) return null;
  const [expected] = daysOf(open);
  const seconds = expected ? secondsUntilPaid(expected, now) : DAY;
  return secondsAfter(now, isContested || isIncomplete === true ? Math.min(DAY, seconds) : seconds);
}

/** Returns when each installment is expected, the first one first. */
function daysOf(installments: readonly InstallmentFacts[]): Date[] {
  return installments.flatMap(({ dueOn }) => (dueOn === null ? [] : [noonOf(dueOn)])).toSorted(byTime);
}

/**
 * Returns when a provider is asked next after a fault, or null: at the end of the worker's lease. A key that it does not take
 * any more is of all charges of the account.
 */
export function checkAfterFault(error: unknown, now: Date): Date | null {
  if (!(error instanceof ProviderFault)) return null;
  const { kind, retryAfterSeconds } = error;
  if (retryAfterSeconds !== null) return secondsAfter(now, Math.max(FIRST_SECONDS_MIN, retryAfterSeconds));
  return kind === "refused" || kind === "misconfigured" ? secondsAfter(now, OVERDUE_SECONDS) : null;
}

function secondsUntilPaid(expected: Date, now: Date): number {
  const overdueSeconds = secondsSince(expected, now);
  if (overdueSeconds < 0) return Math.min(-overdueSeconds, CALM_SECONDS);
  return overdueSeconds < LATE_SECONDS ? OVERDUE_SECONDS : DAY;
}

function secondsSince(time: Date, now: Date): number {
  return Math.ceil((now.getTime() - time.getTime()) / 1000);
}

function noonOf(day: string): Date {
  return secondsAfter(new Date(startOfDay(Temporal.PlainDate.from(day))), NOON_SECONDS);
}

function byTime(one: Date, other: Date): number {
  return one.getTime() - other.getTime();
}
