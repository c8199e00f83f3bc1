import type { Clock } from "../../src/platform/clock.ts";

/** A clock that runs with the real one and can be moved. */
export class MovableClock implements Clock {
  #offsetMs = 0;

  nowMs(): number {
    return Date.now() + this.#offsetMs;
  }

  advance(seconds: number): void {
    this.#offsetMs += seconds * 1000;
  }

  /** Makes the present moment this one. */
  set(date: Date): void {
    this.#offsetMs = date.getTime() - Date.now();
  }
}
