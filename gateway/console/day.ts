import { timestampFromMs, type Timestamp } from "@bufbuild/protobuf/wkt";
import { dayAt, startOfDay, TIME_ZONE } from "../../contract/day.ts";

/** Returns the present day in São Paulo. */
export function presentDay(): Temporal.PlainDate {
  return Temporal.Now.plainDateISO(TIME_ZONE);
}

/** Returns the present day in São Paulo, YYYY-MM-DD: the default period of a page. */
export function today(): string {
  return presentDay().toString();
}

/** Returns the day in São Paulo at a Unix time in seconds, YYYY-MM-DD. */
export function dayOf(seconds: number): string {
  return dayAt(seconds * 1000).toString();
}

/** Returns the day that is `count` days earlier. */
export function daysBefore(day: string, count: number): string {
  return Temporal.PlainDate.from(day).subtract({ days: count }).toString();
}

/** Returns the hour of the day in São Paulo, 0 to 23. */
export function hourNow(): number {
  return Temporal.Now.zonedDateTimeISO(TIME_ZONE).hour;
}

/** Returns the start of a day in São Paulo, or undefined if the text is no day of this millennium, YYYY-MM-DD. */
export function beginningOf(day: string): Timestamp | undefined {
  if (!/^2\d{3}-\d\d-\d\d$/.test(day)) return undefined;
  try {
    return timestampFromMs(startOfDay(Temporal.PlainDate.from(day)));
  } catch {
    return undefined;
  }
}
