import type { DescMethodUnary } from "@bufbuild/protobuf";
import { TimestampSchema, type Timestamp } from "@bufbuild/protobuf/wkt";
import { invalidRequest } from "./errors.ts";
import { ofMethod } from "./of-method.ts";

/** No time is later: the years after it have a digit more, which neither JSON of protobuf nor the database's driver reads. */
const LAST_TIME = new Date("9999-12-31T23:59:59.999Z");
const FIRST_SECOND = BigInt(Date.parse("0001-01-01T00:00:00Z") / 1000);
const LAST_SECOND = BigInt(Math.floor(LAST_TIME.getTime() / 1000));
const NANOS_MAX = 999_999_999;
const MS_NANOS = 1_000_000;

/** The time cut to the millisecond: rounded, the last one of a year would be in the next. */
export function dateOf({ seconds, nanos }: Timestamp): Date {
  return new Date(Number(seconds) * 1000 + Math.floor(nanos / MS_NANOS));
}

/** The earlier of the two, or the last time that there is. */
export function noLaterThanLast(time: Date): Date {
  return time < LAST_TIME ? time : LAST_TIME;
}

/** The fields of an RPC's request that are times. No request has times in messages of its own. */
export const timesOf = ofMethod(({ input }) =>
  input.fields.filter(({ message }) => message?.typeName === TimestampSchema.typeName),
);

/** Refuses times that no date stands for, in any request. Error: invalid_request on the field. */
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
