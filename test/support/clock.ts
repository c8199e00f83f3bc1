import type { Clock } from "../../src/platform/time/clock.ts";

/** A clock that runs with the real one, or is stopped, and can be moved. */
export class MovableClock implements Clock {
  #offsetMs = 0;
  #stoppedMs: number | undefined;

  nowMs(): number {
    return (this.#stoppedMs ?? Date.now()) + this.#offsetMs;
  }

  advance(seconds: number): void {
    this.#offsetMs += seconds * 1000;
  }

  /** Makes the present moment this one. */
  set(date: Date): void {
    this.#offsetMs += date.getTime() - this.nowMs();
  }

  /** From now on it moves only when it is moved. */
  stop(): void {
    this.#stoppedMs ??= Date.now();
  }

  /** It runs on, from the moment that it shows. */
  run(): void {
    const shown = this.nowMs();
    this.#stoppedMs = undefined;
    this.#offsetMs = shown - Date.now();
  }
}
