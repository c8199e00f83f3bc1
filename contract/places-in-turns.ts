import { WaitingInTurns, type WaitingLimits } from "./waiting-in-turns.ts";

/**
 * Bounds heavy work that runs at a time: a few of all owners, and one or a few of each. More waits, and owners take turns: one with
 * much work delays no other by more than what runs.
 */
export class PlacesInTurns {
  readonly #runningMax: number;
  readonly #ofOwnerMax: number;
  readonly #running = new Map<string, number>();
  #runningCount = 0;
  readonly #waiting: WaitingInTurns;

  constructor(runningMax: number, limits: WaitingLimits, ofOwnerMax = 1) {
    this.#runningMax = runningMax;
    this.#ofOwnerMax = ofOwnerMax;
    this.#waiting = new WaitingInTurns(limits);
  }

  /** Runs the work when the owner has a place. Throws the refusal of the limits if too much waits. */
  async run<Result>(owner: string, work: () => Promise<Result>): Promise<Result> {
    if (this.#hasPlace(owner)) this.#count(owner, 1);
    else await this.#waiting.turn(owner);
    try {
      return await work();
    } finally {
      this.#count(owner, -1);
      this.#waiting.putLast(owner);
      const next = this.#waiting.beginNext((one) => this.#hasPlace(one));
      if (next !== undefined) this.#count(next, 1);
    }
  }

  #hasPlace(owner: string): boolean {
    return this.#runningCount < this.#runningMax && (this.#running.get(owner) ?? 0) < this.#ofOwnerMax;
  }

  #count(owner: string, change: number): void {
    const count = (this.#running.get(owner) ?? 0) + change;
    if (count === 0) this.#running.delete(owner);
    else this.#running.set(owner, count);
    this.#runningCount += change;
  }
}
