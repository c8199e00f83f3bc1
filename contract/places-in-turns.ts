import { WaitingInTurns, type WaitingLimits } from "./waiting-in-turns.ts";

/**
 * Bounds heavy work that runs at a time: a few of all owners, and one or a few of each. More waits, and owners take turns: one with
 * much work delays no other by more than what runs.
 */
export class PlacesInTurns {
  readonly #runningMax: number;
  readonly #ofOwnerMax: number;
  readonly #slowMs: number | undefined;
  readonly #running = new Map<string, number>();
  #runningCount = 0;
  readonly #waiting: WaitingInTurns;

  /**
   * `slowMs`: work that runs for longer waits for something outside, such as the server of a name, and takes no place of all
   * any more: its owner chose how long that takes. Absent: all work takes one to its end.
   */
  constructor(runningMax: number, limits: WaitingLimits, ofOwnerMax = 1, slowMs?: number) {
    this.#runningMax = runningMax;
    this.#ofOwnerMax = ofOwnerMax;
    this.#slowMs = slowMs;
    this.#waiting = new WaitingInTurns(limits);
  }

  /** Runs the work when the owner has a place. Throws the refusal of the limits if too much waits. */
  async run<Result>(owner: string, work: () => Promise<Result>): Promise<Result> {
    if (this.#hasPlace(owner)) this.#begin(owner);
    else await this.#waiting.turn(owner);
    const leave = this.#leaveWhenSlow();
    try {
      return await work();
    } finally {
      leave();
      this.#countOf(owner, -1);
      this.#waiting.putLast(owner);
      this.#next();
    }
  }

  #hasPlace(owner: string): boolean {
    return this.#runningCount < this.#runningMax && (this.#running.get(owner) ?? 0) < this.#ofOwnerMax;
  }

  #begin(owner: string): void {
    this.#countOf(owner, 1);
    this.#runningCount++;
  }

  #next(): void {
    const next = this.#waiting.beginNext((one) => this.#hasPlace(one));
    if (next !== undefined) this.#begin(next);
  }

  /** Returns what gives back the place of all, which is given back once: when the work has become slow, or at its end. */
  #leaveWhenSlow(): () => void {
    let isCounted = true;
    const leave = (): void => {
      if (isCounted) this.#runningCount--;
      isCounted = false;
    };
    if (this.#slowMs === undefined) return leave;
    const timer = setTimeout(() => {
      leave();
      this.#next();
    }, this.#slowMs).unref();
    return () => {
      clearTimeout(timer);
      leave();
    };
  }

  #countOf(owner: string, change: number): void {
    const count = (this.#running.get(owner) ?? 0) + change;
    if (count === 0) this.#running.delete(owner);
    else this.#running.set(owner, count);
  }
}
