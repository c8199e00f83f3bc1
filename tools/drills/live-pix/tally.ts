import type { Random } from "../random.ts";

/** How often each kind of thing came. */
export class Tally<Kind extends string> {
  readonly counts: ReadonlyMap<Kind, number>;
  readonly #counts: Map<Kind, number>;

  constructor(kinds: Iterable<Kind>) {
    this.#counts = new Map([...kinds].map((kind) => [kind, 0]));
    this.counts = this.#counts;
  }

  of(kind: Kind): number {
    return this.#counts.get(kind) ?? 0;
  }

  add(kind: Kind): void {
    this.#counts.set(kind, this.of(kind) + 1);
  }

  /** Draws one of the rarest kind so far, so that a short run has each kind. */
  rarest<One>(all: readonly [One, ...One[]], kindOf: (one: One) => Kind, random: Random): One {
    const least = Math.min(...all.map((one) => this.of(kindOf(one))));
    return random.pick(all.filter((one) => this.of(kindOf(one)) === least) as [One, ...One[]]);
  }

  /** Returns the kinds that never came. */
  missing(): Kind[] {
    return [...this.#counts].flatMap(([kind, count]) => (count === 0 ? [kind] : []));
  }
}
