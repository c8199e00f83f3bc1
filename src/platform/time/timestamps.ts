import type { DescField, DescMessage, DescMethodUnary } from "@bufbuild/protobuf";
import { timestampFromDate, TimestampSchema, type Timestamp } from "@bufbuild/protobuf/wkt";
import { invalidRequest } from "../rpc/errors.ts";
import { ofMethod } from "../../../contract/of-method.ts";

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

/** Returns the time fields of an RPC's request, each as the fields that lead to it: those of nested messages too. */
export const timesOf = ofMethod(({ input }) => timesIn(input));

function timesIn(schema: DescMessage, above: readonly DescMessage[] = []): (readonly DescField[])[] {
  if (above.includes(schema)) return [];
  return schema.fields.flatMap((field) => {
    if (field.fieldKind !== "message") return [];
    if (field.message.typeName === TimestampSchema.typeName) return [[field]];
    return timesIn(field.message, [...above, schema]).map((path) => [field, ...path]);
  });
}

/** Refuses times outside the years 1 to 9999, in any request. Error: invalid_request on the request's field. */
export function refuseOddTimes(method: DescMethodUnary, message: object): void {
  for (const path of timesOf(method)) {
    const time = path.reduce<unknown>(
      (value, { localName }) => (value as Readonly<Record<string, unknown>> | undefined)?.[localName],
      message,
    );
    if (time === undefined || isTime(time as Timestamp)) continue;
    const name = path.map((field) => field.name).join(".");
    throw invalidRequest(
      path[0]?.name ?? null,
      `${name} must be a time from 0001-01-01T00:00:00Z to 9999-12-31T23:59:59Z.`,
    );
  }
}

function isTime({ seconds, nanos }: Timestamp): boolean {
  return seconds >= FIRST_SECOND && seconds <= LAST_SECOND && nanos >= 0 && nanos <= NANOS_MAX;
}
