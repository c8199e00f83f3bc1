/** The most that is held at once: of all together, and of one owner, such as a tenant or a network. */
export interface OccupancyBounds {
  readonly all: number;
  readonly ofOne: number;
}

/** Counts what is held at once, by its owner. */
export class Occupancy {
  readonly #bounds: OccupancyBounds;
  readonly #byOwner = new Map<string, number>();
  #all = 0;

  constructor(bounds: OccupancyBounds) {
    this.#bounds = bounds;
  }

  /** Returns the bound that so much more would exceed, or undefined if it fits. */
  exceeded(owner: string, more: number): keyof OccupancyBounds | undefined {
    const { all, ofOne } = this.#bounds;
    if ((this.#byOwner.get(owner) ?? 0) + more > ofOne) return "ofOne";
    return this.#all + more > all ? "all" : undefined;
  }

  /** Counts it even if it exceeds a bound. A negative amount is given back. */
  add(owner: string, amount: number): void {
    this.#all += amount;
    const held = (this.#byOwner.get(owner) ?? 0) + amount;
    if (held === 0) this.#byOwner.delete(owner);
    else this.#byOwner.set(owner, held);
  }
}
