import type { DescMethodUnary } from "@bufbuild/protobuf";
import { timestampFromDate, TimestampSchema, type Timestamp } from "@bufbuild/protobuf/wkt";
import { invalidRequest } from "./errors.ts";
import { ofMethod } from "../../contract/of-method.ts";

/**
 * The latest time. Later years have a fifth digit, which neither protobuf's JSON nor the database's driver can read.
 */
const LAST_TIME = new Date("9999-12-31T23:59:59.999Z");
const FIRST_SECOND = BigInt(Date.parse("0001-01-01T00:00:00Z") / 1000);
const LAST_SECOND = BigInt(Math.floor(LAST_TIME.getTime() / 1000));
const NANOS_MAX = 999_999_999;
const MS_NANOS = 1_000_000;

/** Returns the time, truncated to the millisecond: rounding would move the last one of a year into the next. */
export function dateOf({ seconds, nanos }: Timestamp): Date {
  return new Date(Number(seconds) * 1000 + Math.floor(nanos / MS_NANOS));
}

/** Returns the time as a message, or undefined if there is none. */
export function stampOf(time: Date | null | undefined): Timestamp | undefined {
  return time ? timestampFromDate(time) : undefined;
}

/** Returns the time, or LAST_TIME if that is earlier. */
export function noLaterThanLast(time: Date): Date {
  return time < LAST_TIME ? time : LAST_TIME;
}

/** Returns the time fields of an RPC's request. No request has times in nested messages. */
export const timesOf = ofMethod(({ input }) =>
  input.fields.filter(({ message }) => message?.typeName === TimestampSchema.typeName),
);

/** Refuses times outside the years 1 to 9999, in any request. Error: invalid_request on the field. */
export function refuseOddTimes(method: DescMethodUnary, message: object): void {
  for (const { localName, name } of timesOf(method)) {
    const time = (message as Readonly<Record<string, Timestamp | undefined>>)[localName];
    if (time && !isTime(time)) {
      throw invalidRequest(name, `${name} must be a time from 0001-01-01T00:00:00Z to 9999-12-31T23:59:59Z.`);
    }
  }
}

function isTime({ seconds, nanos }: Timestamp): boolean {
  return seconds >= FIRST_SECOND && seconds <= LAST_SECOND && nanos >= 0 && nanos <= NANOS_MAX;
}
