import { PaylinkError } from "../platform/errors.ts";

/** Lets a few at a time do what is heavy, and keeps a few more waiting in turn. */
export class Limit {
  readonly #runningMax: number;
  readonly #waitingMax: number;
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor(runningMax: number, waitingMax: number) {
    this.#runningMax = runningMax;
    this.#waitingMax = waitingMax;
  }

  /** Error: service_unavailable when too many wait already. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#running >= this.#runningMax) await this.#turn();
    else this.#running += 1;
    try {
      return await work();
    } finally {
      // Whoever is next takes the place as it is.
      const next = this.#waiting.shift();
      if (next) next();
      else this.#running -= 1;
    }
  }

  async #turn(): Promise<void> {
    if (this.#waiting.length >= this.#waitingMax) {
      throw new PaylinkError("service_unavailable", "Too many pictures at once: send it again in a moment.");
    }
    await new Promise<void>((resolve) => {
      this.#waiting.push(resolve);
    });
  }
}
