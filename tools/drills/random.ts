/** Numbers that look random and repeat by their seed (mulberry32). */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** From 0 up to, but without, 1. */
  fraction(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** A whole number from `low` to `high`, both included. */
  integer(low: number, high: number): number {
    return low + Math.floor(this.fraction() * (high - low + 1));
  }

  /** One of the values, each as likely as the others. */
  pick<T>(values: readonly [T, ...T[]]): T {
    return values[this.integer(0, values.length - 1)] ?? values[0];
  }

  /** Another one, which draws from here only its seed: what it is asked for later does not change this one's numbers. */
  fork(): Random {
    return new Random(this.integer(0, 2 ** 32 - 1));
  }
}
