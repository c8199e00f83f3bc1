import { neighbourhoodOf, networkOf } from "./network.ts";

/** The most that is held at once: of all together, of one owner, such as a tenant or a network, and of one group. */
export interface OccupancyBounds {
  readonly all: number;
  readonly ofOne: number;
  readonly ofGroup?: number;
}

/** Who holds something. The owners of a group, such as the networks of a neighbourhood, have a bound together. */
export interface Holder {
  readonly owner: string;
  readonly group?: string;
}

/** Returns the network of an address, in its neighbourhood: who has one /64 of IPv6 may have thousands. */
export function holderAt(address: string): Holder {
  return { owner: networkOf(address), group: `group ${neighbourhoodOf(address)}` };
}

/** Counts what is held at once, by its owner. */
export class Occupancy {
  readonly #bounds: OccupancyBounds;
  /** By owner, and by group. */
  readonly #held = new Map<string, number>();
  #all = 0;

  constructor(bounds: OccupancyBounds) {
    this.#bounds = bounds;
  }

  /** Returns the bound that so much more would exceed, or undefined if it fits. */
  exceeded({ owner, group }: Holder, more: number): "ofOne" | "all" | undefined {
    const { all, ofOne, ofGroup = all } = this.#bounds;
    if ((this.#held.get(owner) ?? 0) + more > ofOne) return "ofOne";
    if (group !== undefined && (this.#held.get(group) ?? 0) + more > ofGroup) return "ofOne";
    return this.#all + more > all ? "all" : undefined;
  }

  /** Counts it even if it exceeds a bound. A negative amount is given back. */
  add({ owner, group }: Holder, amount: number): void {
    this.#all += amount;
    this.#count(owner, amount);
    if (group !== undefined) this.#count(group, amount);
  }

  #count(key: string, amount: number): void {
    const held = (this.#held.get(key) ?? 0) + amount;
    if (held === 0) this.#held.delete(key);
    else this.#held.set(key, held);
  }
}
