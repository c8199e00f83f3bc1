import { dayAt, startOfDay } from "../../../contract/day.ts";
import { bankHolidays } from "./bank-holidays.ts";

const SATURDAY = 6;
// A loop over days ends here, whatever the overrides say.
const DAYS_MAX = 3660;

/** The days that differ from the national calendar: YYYY-MM-DD to true if it is a business day. */
export type Overrides = ReadonlyMap<string, boolean>;

const closedDays = new Map<number, ReadonlySet<string>>();

/** Returns the day in São Paulo at an instant. */
export function dayOf(instant: Date): Temporal.PlainDate {
  return dayAt(instant.getTime());
}

export function isBusinessDay(day: Temporal.PlainDate, overrides: Overrides): boolean {
  const override = overrides.get(day.toString());
  if (override !== undefined) return override;
  return day.dayOfWeek < SATURDAY && !closedIn(day.year).has(day.toString());
}

/**
 * Returns the bank-open time between two instants in milliseconds: what of it lies on business days of São Paulo, which
 * count from midnight to midnight. Returns 0 if `to` is not after `from`.
 */
export function bankMsBetween(from: Date, to: Date, overrides: Overrides): number {
  const [fromMs, toMs] = [from.getTime(), to.getTime()];
  let sumMs = 0;
  for (const { startMs, endMs } of daysFrom(fromMs, overrides)) {
    if (startMs >= toMs) break;
    sumMs += Math.max(0, Math.min(endMs, toMs) - Math.max(startMs, fromMs));
  }
  return sumMs;
}

/** Returns the first instant at which `ms` of bank-open time have passed since `from`. */
export function afterBankMs(from: Date, ms: number, overrides: Overrides): Date {
  let leftMs = ms;
  let lastMs = from.getTime();
  for (const { startMs, endMs } of daysFrom(lastMs, overrides)) {
    const openMs = Math.max(startMs, from.getTime());
    if (leftMs <= endMs - openMs) return new Date(openMs + leftMs);
    leftMs -= endMs - openMs;
    lastMs = endMs;
  }
  return new Date(lastMs);
}

/** Returns the last instant before `to` from which on `ms` of bank-open time pass until then. */
export function beforeBankMs(to: Date, ms: number, overrides: Overrides): Date {
  let leftMs = ms;
  let [day, closeMs] = [dayOf(to), to.getTime()];
  for (let count = 0; count < DAYS_MAX; count++) {
    const startMs = startOfDay(day);
    if (isBusinessDay(day, overrides)) {
      if (leftMs <= closeMs - startMs) return new Date(closeMs - leftMs);
      leftMs -= closeMs - startMs;
    }
    [day, closeMs] = [day.subtract({ days: 1 }), startMs];
  }
  return new Date(closeMs);
}

/** Returns the business day to which an instant belongs: that of a closed day is the last one before. */
export function bankDayOf(instant: Date, overrides: Overrides): Temporal.PlainDate {
  let day = dayOf(instant);
  for (let count = 0; count < DAYS_MAX && !isBusinessDay(day, overrides); count++) {
    day = day.subtract({ days: 1 });
  }
  return day;
}

/** Yields the business days from the day of an instant on, each with its first instant and its end. */
function* daysFrom(
  unixMs: number,
  overrides: Overrides,
): Generator<{ readonly startMs: number; readonly endMs: number }> {
  let day = dayAt(unixMs);
  for (let count = 0; count < DAYS_MAX; count++) {
    const next = day.add({ days: 1 });
    if (isBusinessDay(day, overrides)) yield { startMs: startOfDay(day), endMs: startOfDay(next) };
    day = next;
  }
}

function closedIn(year: number): ReadonlySet<string> {
  let days = closedDays.get(year);
  if (!days) {
    days = bankHolidays(year);
    closedDays.set(year, days);
  }
  return days;
}
