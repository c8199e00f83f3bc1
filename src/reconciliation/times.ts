import { calendarDay } from "../platform/time/period.ts";

/** Returns the first and the last day of a list, any where none is given. Error: invalid_request on from or to. */
export function daysOfList({
  from,
  to,
}: {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}): readonly [from: string, to: string] {
  return [
    from === undefined ? "0001-01-01" : calendarDay("from", from).toString(),
    to === undefined ? "9999-12-31" : calendarDay("to", to).toString(),
  ];
}

/** Returns SQL for a time in Unix milliseconds, as a text: the pool leaves times as they come. */
export function msOf(column: string): string {
  return `(date_part('epoch', ${column}) * 1000)::int8::text`;
}

/** Returns the time of a column that `msOf` has read. */
export function dateOf(ms: string): Date;
export function dateOf(ms: string | null): Date | null;
export function dateOf(ms: string | null): Date | null {
  return ms === null ? null : new Date(Number(ms));
}
