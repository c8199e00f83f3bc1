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
// Date.parse alone accepts many texts that are not HTTP dates.
const HTTP_DATE = /^[A-Z][a-z]{2}, /;
const RETRY_AFTER_MAX_SECONDS = 24 * HOUR;

/**
 * Returns the seconds to wait after this number of attempts of a round, or null if the round is over. `chance`, 0 to 1,
 * spreads retries of deliveries that failed together. A longer Retry-After of the endpoint takes precedence.
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

/**
 * Returns the delay of a Retry-After header, in seconds from `now`: it is a number of seconds or a date. Returns null
 * if it is neither.
 */
export function readRetryAfter(header: string | undefined, now: Date): number | null {
  if (header === undefined) return null;
  const seconds = /^\d+$/.test(header)
    ? Number(header)
    : HTTP_DATE.test(header)
      ? (Date.parse(header) - now.getTime()) / 1000
      : Number.NaN;
  return Number.isNaN(seconds) ? null : Math.min(Math.max(seconds, 0), RETRY_AFTER_MAX_SECONDS);
}
