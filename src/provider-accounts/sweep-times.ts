import { dayAt, startOfDay } from "../../contract/day.ts";
import { secondsAfter } from "../platform/time/clock.ts";
import type { ReceivedIn } from "../providers/ports.ts";
import type { StatementKind } from "../providers/registration.ts";
import { registrationOf } from "../providers/registry.ts";
import type { AccountRow, SweepKind, SweepRow, UnreadPeriod } from "./entities.ts";

const HOUR_SECONDS = 3600;
const DAY_SECONDS = 86_400;
const OVERLAP_SECONDS = 900;
// The provider's clock may be a little behind ours, and its list a little behind its clock.
const DELAY_SECONDS = 60;
// PIX may go back for 91 days, by MED: a return that is made after the last of these sweeps is in the next. A card's refund
// is possible for a year. Its chargeback may come somewhat later.
const RETURN_DAYS = { pix: 100, card: 400, card_returns: 400 } as const;
// Where a provider of cards knows days alone, short parts only cost requests.
const PART_DAYS = { pix: 1, card: 30, card_returns: 1 } as const;
// What went back is in a provider's list by then.
const RETURNS_OVERLAP_SECONDS = DAY_SECONDS;
const FAILURE_SECONDS_MAX = 3600;
// A failure may be the provider's own trouble of a minute.
const FAILURES_BEFORE_TOLD = 3;
// More than the overlap, so that each part moves the cursor.
const PART_SECONDS_MIN = HOUR_SECONDS;

const SWEEP_KINDS: readonly SweepKind[] = ["received", "day", "returns"];

export function statementOf({ kind, profile }: Pick<AccountRow, "kind" | "profile">): StatementKind {
  return registrationOf(profile).statementOf(kind);
}

/** Returns the cursors of a new account. */
export function firstSweeps(
  { tenantId, id: accountId, ...account }: Pick<AccountRow, "tenantId" | "id" | "kind" | "profile">,
  now: Date,
): SweepRow[] {
  const common = { tenantId, accountId, failureCount: 0, unread: [] };
  const kinds: readonly SweepKind[] = statementOf(account) === "card_returns" ? ["returns"] : SWEEP_KINDS;
  return kinds.map((kind) => ({
    ...common,
    kind,
    sweptTo: kind === "day" ? dayStart(now) : now,
    dueAt: dueAfter(kind, now),
  }));
}

/**
 * Returns the period that a sweep reads, or null if there is nothing to read yet. After a failure it begins where that
 * one ended. What went back is read where it is listed by its own time from the last reading on.
 */
export function periodOfSweep(
  { kind, sweptTo, failureCount }: Pick<SweepRow, "kind" | "sweptTo" | "failureCount">,
  now: Date,
  of: StatementKind = "pix",
): ReceivedIn | null {
  const end = secondsAfter(now, -DELAY_SECONDS);
  const firstReturned = secondsAfter(now, -RETURN_DAYS[of] * DAY_SECONDS);
  const overlapSeconds = of === "card_returns" && failureCount === 0 ? RETURNS_OVERLAP_SECONDS : 0;
  const isContinued = of === "card_returns" || failureCount > 0;
  const next = secondsAfter(sweptTo, -overlapSeconds);
  const period =
    kind === "received"
      ? { from: secondsAfter(sweptTo, -OVERLAP_SECONDS), to: end }
      : kind === "day"
        ? { from: sweptTo, to: new Date(dayStart(now).getTime() - 1) }
        : { from: isContinued && next > firstReturned ? next : firstReturned, to: end };
  return period.from < period.to ? period : null;
}

/**
 * Returns what a sweep reads, the newest first: the parts of its period, and of what was left unread before it, as far
 * back as money may be returned.
 */
export function partsToRead(
  { failureCount, unread }: Pick<SweepRow, "failureCount" | "unread">,
  period: ReceivedIn | null,
  now: Date,
  of: StatementKind = "pix",
): ReceivedIn[] {
  const firstMs = secondsAfter(now, -RETURN_DAYS[of] * DAY_SECONDS).getTime();
  const lastMs = (period?.from ?? now).getTime() - 1;
  const left = unread.flatMap(({ from, to }): ReceivedIn[] => {
    const [fromMs, toMs] = [Math.max(Date.parse(from), firstMs), Math.min(Date.parse(to), lastMs)];
    return fromMs <= toMs ? [{ from: new Date(fromMs), to: new Date(toMs) }] : [];
  });
  return [...left, ...(period ? [period] : [])]
    .flatMap((one) => partsOf(one, failureCount, of))
    .toSorted((one, other) => other.from.getTime() - one.from.getTime());
}

/** Returns parts that were not read as they are stored: the oldest first, and adjacent ones as one. */
export function unreadOf(parts: readonly ReceivedIn[]): UnreadPeriod[] {
  const periods: UnreadPeriod[] = [];
  for (const { from, to } of parts.toSorted((one, other) => one.from.getTime() - other.from.getTime())) {
    const last = periods.at(-1);
    const isNext = last !== undefined && from.getTime() <= Date.parse(last.to) + 1;
    if (isNext) periods.pop();
    periods.push({ from: isNext ? last.from : from.toISOString(), to: to.toISOString() });
  }
  return periods;
}

/** Returns the days of São Paulo that periods touch, each once, in order. */
export function daysOf(periods: readonly UnreadPeriod[]): string[] {
  const days = new Set<string>();
  for (const { from, to } of periods) {
    const last = dayAt(Date.parse(to));
    let day = dayAt(Date.parse(from));
    for (; Temporal.PlainDate.compare(day, last) <= 0; day = day.add({ days: 1 })) days.add(day.toString());
  }
  return [...days].toSorted();
}

/** Returns the days that a person is told of: what is unread, and what three readings in a row did not get. */
export function unreadDays(
  sweeps: readonly Pick<SweepRow, "sweptTo" | "failureCount" | "unread">[],
  now: Date,
): string[] {
  const failing = sweeps.filter(({ failureCount }) => failureCount >= FAILURES_BEFORE_TOLD);
  return daysOf([
    ...sweeps.flatMap(({ unread }) => unread),
    ...failing.map(({ sweptTo }) => ({ from: sweptTo.toISOString(), to: now.toISOString() })),
  ]);
}

/**
 * Returns a period's parts, the oldest first. Those of PIX and of what went back are of a day, those of cards of 30, and
 * shorter after failures in a row without one of them.
 */
export function partsOf(
  { from, to }: ReceivedIn,
  failureCount: number,
  of: StatementKind = "pix",
): ReceivedIn[] {
  const wholeSeconds = PART_DAYS[of] * DAY_SECONDS;
  const partMs = 1000 * Math.max(wholeSeconds / 2 ** Math.max(0, failureCount - 1), PART_SECONDS_MIN);
  const parts: ReceivedIn[] = [];
  for (let startMs = from.getTime(); startMs <= to.getTime(); startMs += partMs) {
    parts.push({ from: new Date(startMs), to: new Date(Math.min(startMs + partMs - 1, to.getTime())) });
  }
  return parts;
}

/** Returns the halves of a part, the newer one first, or undefined if it is no longer than a day. */
export function halvesOf({ from, to }: ReceivedIn): [ReceivedIn, ReceivedIn] | undefined {
  const lengthMs = to.getTime() - from.getTime() + 1;
  if (lengthMs <= DAY_SECONDS * 1000) return undefined;
  const middleMs = from.getTime() + Math.floor(lengthMs / 2);
  return [
    { from: new Date(middleMs), to },
    { from, to: new Date(middleMs - 1) },
  ];
}

/** Returns the new cursor after a period was read. */
export function cursorAfter(kind: SweepKind, now: Date): Date {
  return kind === "day" ? dayStart(now) : secondsAfter(now, -DELAY_SECONDS);
}

/** Returns the time of the next sweep after a success. */
export function dueAfter(kind: SweepKind, now: Date): Date {
  if (kind === "received") return secondsAfter(now, HOUR_SECONDS);
  const tomorrow = startOfDay(dayAt(now.getTime()).add({ days: 1 }));
  return secondsAfter(new Date(tomorrow), kind === "day" ? HOUR_SECONDS : 2 * HOUR_SECONDS);
}

/** Returns the time of the next sweep after so many failures in a row. */
export function dueAfterFailure(failureCount: number, now: Date, retryAfterSeconds: number | null): Date {
  const seconds = Math.min(60 * 2 ** (failureCount - 1), FAILURE_SECONDS_MAX);
  return secondsAfter(now, Math.max(seconds, retryAfterSeconds ?? 0));
}

function dayStart(now: Date): Date {
  return new Date(startOfDay(dayAt(now.getTime())));
}
