const DAY_MS = 86_400_000;

/** The days before a certificate's end on which it is announced, the last one first. */
const NOTICE_DAYS = [1, 7, 30] as const;

/**
 * Returns within how many days a certificate ends, as one of the days on which that is announced; 0: it has ended;
 * undefined: there is nothing to announce yet.
 */
export function daysAnnounced(endMs: number, nowMs: number): number | undefined {
  if (endMs <= nowMs) return 0;
  return NOTICE_DAYS.find((days) => endMs - nowMs <= days * DAY_MS);
}
