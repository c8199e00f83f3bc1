/** The one source of business time. Passed in, so that a test can move it. */
export interface Clock {
  /** Milliseconds since the Unix epoch. */
  nowMs(): number;
}

export const systemClock: Clock = { nowMs: () => Date.now() };

/** The clock's time cut to whole seconds, the precision that the contract shows and orders by. */
export function wholeSecond(clock: Clock): Date {
  return new Date(Math.floor(clock.nowMs() / 1000) * 1000);
}

/** `date` and some seconds. */
export function secondsAfter(date: Date, seconds: number): Date {
  return new Date(date.getTime() + seconds * 1000);
}
