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
