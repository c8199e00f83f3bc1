import { setTimeout as delay } from "node:timers/promises";

const POLL_MS = 50;

/** Asks until the answer is neither undefined nor false; throws, naming what was waited for, when that takes too long. */
export async function until<T>(
  what: string,
  timeoutMs: number,
  ask: () => Promise<T | false | undefined>,
): Promise<T> {
  const deadlineMs = performance.now() + timeoutMs;
  for (;;) {
    const answer = await ask().catch(() => undefined);
    if (answer !== undefined && answer !== false) return answer;
    if (performance.now() > deadlineMs) throw new Error(`Waited ${timeoutMs / 1000} s in vain for ${what}.`);
    await delay(POLL_MS);
  }
}
