import { LRUCache } from "lru-cache";
import { startOfDay } from "../../../contract/day.ts";
import { invalidRequest } from "../rpc/errors.ts";
import { noLaterThanLast } from "./timestamps.ts";

/** A period of time: `from` is inclusive, `until` is exclusive. */
export interface Period {
  readonly from: Date;
  readonly until: Date;
}

const FIRST_DAY = "0001-01-01";
const LAST_DAY = "9999-12-31";

// The time zone's rules cost more than all else of a day, and clients ask for the same days again and again.
const periods = new LRUCache<string, Period>({ max: 1000 });

/**
 * Returns the period of two days of the Brazilian banking calendar, both inclusive, as YYYY-MM-DD. Error:
 * invalid_request on from or to.
 */
export function periodOf(from: string, to: string): Period {
  const first = dayPeriod("from", from);
  const last = dayPeriod("to", to);
  if (first.from > last.from) throw invalidRequest("from", "from must not be after to.");
  return { from: first.from, until: last.until };
}

/**
 * Returns the period of all days from one on, to one, or between two, as `periodOf`; undefined if neither is given. Error:
 * invalid_request on from or to.
 */
export function openPeriodOf(from: string | undefined, to: string | undefined): Period | undefined {
  if (from === undefined && to === undefined) return undefined;
  return periodOf(from ?? FIRST_DAY, to ?? LAST_DAY);
}

/** Returns the period of at most so many days, as `periodOf`. Error: invalid_request on from or to. */
export function periodWithin(from: string, to: string, daysMax: number): Period {
  const period = periodOf(from, to);
  if (calendarDay("from", from).until(calendarDay("to", to)).days >= daysMax) {
    throw invalidRequest("to", `to must be within ${daysMax} days of from.`);
  }
  return period;
}

/** Returns the period of one day. Error: invalid_request on `param`. */
export function dayPeriod(param: string, day: string): Period {
  const known = periods.get(day);
  if (known) return known;
  const date = calendarDay(param, day);
  const period = { from: beginningOf(date), until: endOf(date) };
  periods.set(day, period);
  return period;
}

/** Returns a day of the calendar, from YYYY-MM-DD. Error: invalid_request on `param`. */
export function calendarDay(param: string, text: string): Temporal.PlainDate {
  try {
    const date = Temporal.PlainDate.from(text, { overflow: "reject" });
    // Temporal has a year 0; PostgreSQL does not.
    if (date.year < 1) throw new RangeError("year 0");
    return date;
  } catch {
    throw invalidRequest(param, `${param} must be a date of the calendar, YYYY-MM-DD.`);
  }
}

function beginningOf(date: Temporal.PlainDate): Date {
  return new Date(startOfDay(date));
}

function endOf(date: Temporal.PlainDate): Date {
  return noLaterThanLast(beginningOf(date.add({ days: 1 })));
}
