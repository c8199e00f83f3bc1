import Holidays from "date-holidays";
import { dayAt } from "../../contract/day.ts";
import { newId } from "../../contract/ids.ts";
import { calendarDay } from "../platform/period.ts";

const SATURDAY = 6;
// Kinds of days on which the banks of the whole country are closed.
const CLOSED = new Set(["public", "bank"]);

/** The days that differ from the national calendar: YYYY-MM-DD to true if it is a business day. */
export type Overrides = ReadonlyMap<string, boolean>;

const holidays = new Holidays("BR");
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
 * Returns the settlement day of a success on `day`: the N-th business day strictly after it. D+0 is the day itself, or
 * the next business day.
 */
export function settlementDay(
  day: Temporal.PlainDate,
  termDays: number,
  overrides: Overrides,
): Temporal.PlainDate {
  let date = day;
  if (termDays === 0) {
    while (!isBusinessDay(date, overrides)) date = date.add({ days: 1 });
    return date;
  }
  for (let left = termDays; left > 0;) {
    date = date.add({ days: 1 });
    if (isBusinessDay(date, overrides)) left--;
  }
  return date;
}

/** Returns an override's row. Error: invalid_request on day. */
export function newOverride(
  { day, isBusinessDay: isOpen, reason }: { day: string; isBusinessDay: boolean; reason: string },
  createdAt: Date,
) {
  return {
    tenantId: "default",
    id: newId("bdo"),
    day: calendarDay("day", day).toString(),
    isBusinessDay: isOpen,
    reason,
    createdAt,
  };
}

function closedIn(year: number): ReadonlySet<string> {
  let days = closedDays.get(year);
  if (!days) {
    const closed = holidays.getHolidays(year).filter(({ type }) => CLOSED.has(type));
    days = new Set(closed.map(({ date }) => date.slice(0, "YYYY-MM-DD".length)));
    closedDays.set(year, days);
  }
  return days;
}
