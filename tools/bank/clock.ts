/** The bank's own clock. It runs with the system's until it is set; a clock that is set stands still. */
export class BankClock {
  #stoppedAtMs: number | undefined;
  #aheadMs = 0;

  nowMs(): number {
    return (this.#stoppedAtMs ?? Date.now()) + this.#aheadMs;
  }

  now(): Date {
    return new Date(this.nowMs());
  }

  /** Stops the clock at a time. */
  set(time: Date): void {
    this.#stoppedAtMs = time.getTime();
    this.#aheadMs = 0;
  }

  advance(seconds: number): void {
    this.#aheadMs += seconds * 1000;
  }
}
