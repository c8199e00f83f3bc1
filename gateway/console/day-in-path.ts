import { Refused } from "./refused.ts";
import type { Visit } from "./visit.ts";

const DAY = /^\d{4}-\d{2}-\d{2}$/;

/** Returns the day in the address. Throws Refused when the calendar has no such day. */
export function dayInPath(visit: Visit): string {
  const day = visit.part("day");
  try {
    // Temporal accepts the year 0, which does not exist.
    if (DAY.test(day) && !day.startsWith("0000")) return Temporal.PlainDate.from(day).toString();
  } catch {
    // The calendar has no such day.
  }
  throw new Refused("unknown", visit);
}
