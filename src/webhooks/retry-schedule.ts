const MINUTE = 60;
const HOUR = 60 * MINUTE;

/** Seconds before each attempt of a round, the first at once. */
export const SCHEDULE_SECONDS: readonly number[] = [
  0,
  5,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  24 * HOUR,
];

const JITTER = 0.1;
// Date.parse alone takes much that is no date of HTTP.
const HTTP_DATE = /^[A-Z][a-z]{2}, /;
const RETRY_AFTER_MAX_SECONDS = 24 * HOUR;

/**
 * Seconds to wait after so many attempts of a round, or null when the round is over. `chance`, 0 to 1, spreads what
 * failed together. An endpoint that asks to be left alone for longer is.
 */
export function delayAfter(
  attemptCount: number,
  retryAfterSeconds: number | null,
  chance: number,
  schedule: readonly number[] = SCHEDULE_SECONDS,
): number | null {
  const planned = schedule[attemptCount];
  if (planned === undefined) return null;
  const spread = planned * (1 + JITTER * (2 * chance - 1));
  return Math.max(spread, retryAfterSeconds ?? 0);
}

/** What a Retry-After header asks for, in seconds from `now`: a number of seconds or a date. Null: nothing usable. */
export function readRetryAfter(header: string | undefined, now: Date): number | null {
  if (header === undefined) return null;
  const seconds = /^\d+$/.test(header)
    ? Number(header)
    : HTTP_DATE.test(header)
      ? (Date.parse(header) - now.getTime()) / 1000
      : Number.NaN;
  return Number.isNaN(seconds) ? null : Math.min(Math.max(seconds, 0), RETRY_AFTER_MAX_SECONDS);
}
