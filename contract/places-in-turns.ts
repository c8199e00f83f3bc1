import { WaitingInTurns, type WaitingLimits } from "./waiting-in-turns.ts";

/**
 * Bounds heavy work that runs at a time: a few of all owners, and one of each. More waits, and owners take turns: one with
 * much work delays no other by more than what runs.
 */
export class PlacesInTurns {
  readonly #runningMax: number;
  readonly #running = new Set<string>();
  readonly #waiting: WaitingInTurns;

  constructor(runningMax: number, limits: WaitingLimits) {
    this.#runningMax = runningMax;
    this.#waiting = new WaitingInTurns(limits);
  }

  /** Runs the work when the owner has a place. Throws the refusal of the limits if too much waits. */
  async run<Result>(owner: string, work: () => Promise<Result>): Promise<Result> {
    if (this.#hasPlace(owner)) this.#running.add(owner);
    else await this.#waiting.turn(owner);
    try {
      return await work();
    } finally {
      this.#running.delete(owner);
      this.#waiting.putLast(owner);
      const next = this.#waiting.beginNext((one) => this.#hasPlace(one));
      if (next !== undefined) this.#running.add(next);
    }
  }

  #hasPlace(owner: string): boolean {
    return this.#running.size < this.#runningMax && !this.#running.has(owner);
  }
}
