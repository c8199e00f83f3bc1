import { monitorEventLoopDelay } from "node:perf_hooks";
import { setTimeout as passes } from "node:timers/promises";

const RESOLUTION_MS = 5;

/** Returns the longest time in milliseconds for which the work kept the process from everything else. */
export async function longestStopMs(work: () => Promise<unknown>): Promise<number> {
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delay.enable();
  await passes(2 * RESOLUTION_MS);
  delay.reset();
  await work();
  // The monitor's own timer ends the last stop.
  await passes(2 * RESOLUTION_MS);
  delay.disable();
  return delay.max / 1e6;
}

/** Adds up what is done between two turns of everything else in the process. */
export class PerTurn {
  /** The most in one turn. */
  most = 0;
  #amount = 0;

  add(amount: number): void {
    if (this.#amount === 0) setImmediate(() => (this.#amount = 0));
    this.#amount += amount;
    this.most = Math.max(this.most, this.#amount);
  }
}
