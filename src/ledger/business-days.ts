import { newId } from "../../contract/ids.ts";
import { isBusinessDay, type Overrides } from "../platform/time/business-days.ts";
import { calendarDay } from "../platform/time/period.ts";

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

/**
 * Returns for each term from D+0 to D+`termDaysMax` the last day of success whose settlement day is `today` or earlier.
 * It goes through the days once, back from today, whatever succeeded when.
 */
export function lastDueDays(
  today: Temporal.PlainDate,
  termDaysMax: number,
  overrides: Overrides,
): Temporal.PlainDate[] {
  const lastDays: Temporal.PlainDate[] = [];
  for (let date = today; lastDays.length <= termDaysMax;) {
    const before = date.subtract({ days: 1 });
    if (isBusinessDay(date, overrides)) {
      // The term counts the business days after the success: D+0 and D+1 end on the same one.
      if (lastDays.length === 0) lastDays.push(date);
      lastDays.push(before);
    }
    date = before;
  }
  return lastDays.slice(0, termDaysMax + 1);
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
