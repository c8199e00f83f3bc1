import { newId } from "../../contract/ids.ts";
import { isBusinessDay, type Overrides } from "../platform/business-days.ts";
import { calendarDay } from "../platform/period.ts";

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
