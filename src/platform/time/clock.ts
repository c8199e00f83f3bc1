/** The only source of business time. It is passed in, so that a test can move it. */
export interface Clock {
  /** Milliseconds since the Unix epoch. */
  nowMs(): number;
  /** When a worker may take what is written now, if not at once: who writes the past does not have the present's worker do it. */
  workableMs?(): number;
}

export const systemClock: Clock = { nowMs: () => Date.now() };

/** Returns the clock's time in whole seconds, the precision of the contract and its order. */
export function wholeSecond(clock: Clock): Date {
  return new Date(Math.floor(clock.nowMs() / 1000) * 1000);
}

/** Returns the first whole second that is at least so many seconds away. */
export function notBefore(clock: Clock, seconds: number): Date {
  return new Date(Math.ceil(clock.nowMs() / 1000 + seconds) * 1000);
}

/** Returns when work that is written now is due, so many seconds after a worker may take it. */
export function dueAfter(clock: Clock, seconds: number): Date {
  const workableMs = clock.workableMs?.() ?? 0;
  return secondsAfter(wholeSecond({ nowMs: () => Math.max(clock.nowMs(), workableMs) }), seconds);
}

export function secondsAfter(date: Date, seconds: number): Date {
  return new Date(date.getTime() + seconds * 1000);
}
