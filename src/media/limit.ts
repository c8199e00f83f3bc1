import { PaylinkError } from "../platform/errors.ts";

/** Runs a few heavy tasks at a time. A few more wait in a queue. */
export class Limit {
  readonly #runningMax: number;
  readonly #waitingMax: number;
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor(runningMax: number, waitingMax: number) {
    this.#runningMax = runningMax;
    this.#waitingMax = waitingMax;
  }

  /** Runs the task when it has a place. Error: service_unavailable if the queue is full. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#running >= this.#runningMax) await this.#turn();
    else this.#running += 1;
    try {
      return await work();
    } finally {
      // The next task takes over the place, so the count stays.
      const next = this.#waiting.shift();
      if (next) next();
      else this.#running -= 1;
    }
  }

  async #turn(): Promise<void> {
    if (this.#waiting.length >= this.#waitingMax) {
      throw new PaylinkError("service_unavailable", "Too many pictures at once: try again in a moment.");
    }
    await new Promise<void>((resolve) => {
      this.#waiting.push(resolve);
    });
  }
}
