import { timestampFromDate, type Timestamp } from "@bufbuild/protobuf/wkt";

/**
 * The latest time. Later years have a fifth digit, which neither protobuf's JSON nor the database's driver can read.
 */
export const LAST_TIME = new Date("9999-12-31T23:59:59.999Z");
const MS_NANOS = 1_000_000;

/** Returns the time, truncated to the millisecond: rounding would move the last one of a year into the next. */
export function dateOf({ seconds, nanos }: Timestamp): Date {
  return new Date(Number(seconds) * 1000 + Math.floor(nanos / MS_NANOS));
}

/** Returns the time as a message, or undefined if there is none. */
export function stampOf(time: Date | null | undefined): Timestamp | undefined {
  return time ? timestampFromDate(time) : undefined;
}

/** Returns the time to the second, as messages to callers have it: "2026-11-29T12:00:00Z". */
export function utcText(time: Date): string {
  return `${time.toISOString().slice(0, "2026-11-29T12:00:00".length)}Z`;
}

/** Returns the time, or LAST_TIME if that is earlier. */
export function noLaterThanLast(time: Date): Date {
  return time < LAST_TIME ? time : LAST_TIME;
}
