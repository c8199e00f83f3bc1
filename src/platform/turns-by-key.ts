import { PaylinkError } from "./errors.ts";

const WAITING_MAX = 64;

/**
 * Runs heavy work of one key after the other, so that it does not take all connections and the whole process from
 * others. A key is a tenant in a mode.
 */
export class TurnsByKey {
  /** The work that waits for its turn, for each key that has work in its turn. */
  readonly #waiting = new Map<string, (() => void)[]>();
  readonly #waitingMax: number;

  /** `waitingMax`: how much work of a key may wait. */
  constructor(waitingMax = WAITING_MAX) {
    this.#waitingMax = waitingMax;
  }

  /** Error: service_unavailable if too much work of the key waits, unless this one may always wait. */
  async run<Result>(key: string, work: () => Promise<Result>, mayAlwaysWait = false): Promise<Result> {
    await this.#turn(key, mayAlwaysWait);
    try {
      return await work();
    } finally {
      // The next one begins after this one's answer is written and others had the process.
      setImmediate(() => this.#next(key));
    }
  }

  async #turn(key: string, mayAlwaysWait: boolean): Promise<void> {
    const waiting = this.#waiting.get(key);
    if (!waiting) {
      this.#waiting.set(key, []);
      return;
    }
    if (waiting.length >= this.#waitingMax && !mayAlwaysWait) {
      throw new PaylinkError("service_unavailable", "Too much heavy work is asked for at once.");
    }
    await new Promise<void>((resolve) => {
      waiting.push(resolve);
    });
  }

  #next(key: string): void {
    const next = this.#waiting.get(key)?.shift();
    if (next) next();
    else this.#waiting.delete(key);
  }
}
