import type { Entry } from "./journal.ts";

type Hits = Readonly<Record<string, number>>;

const ENDLESS = /Test timed out|Hit count limit reached/;

interface Settled {
  readonly entry?: Entry;
  readonly isOver: boolean;
}

/**
 * What one test is run for, one after the other: alone, alone once more, then with each mutant that it reaches. A failure
 * counts only when the test still passes afterwards without the mutant.
 */
export class Trials {
  readonly #test: string;
  readonly #left: ReadonlySet<string>;
  readonly #startedMs = performance.now();
  readonly #longestMs: number;
  readonly #tried: ReadonlySet<string>;
  #step: "first" | "second" | "mutant" | "control" = "first";
  #hits: Hits = {};
  #queue: string[] = [];
  #failed: { mutant: string; kind: "killed" | "timeout" } | undefined;

  constructor(test: string, left: ReadonlySet<string>, tried: ReadonlySet<string>, longestMs: number) {
    this.#test = test;
    this.#left = left;
    this.#tried = tried;
    this.#longestMs = longestMs;
  }

  /** The mutant of the next run, undefined for none. */
  get next(): string | undefined {
    return this.#step === "mutant" ? this.#queue[0] : undefined;
  }

  hitsOf(mutant: string | undefined): number {
    return mutant === undefined ? 0 : (this.#hits[mutant] ?? 0);
  }

  settle(passed: boolean, message: string, hits: Hits): Settled {
    const test = this.#test;
    switch (this.#step) {
      case "first": {
        if (!passed) return { entry: { kind: "broken", test, message }, isOver: true };
        this.#step = "second";
        const entry = { kind: "covered", test, mutants: Object.keys(hits) } as const;
        const isSlow = performance.now() - this.#startedMs > this.#longestMs;
        return { entry, isOver: isSlow || this.#open(hits).length === 0 };
      }
      case "second":
        if (!passed) return { entry: { kind: "unrepeatable", test }, isOver: true };
        this.#hits = hits;
        this.#queue = this.#open(hits);
        this.#step = "mutant";
        return { isOver: this.#queue.length === 0 };
      case "mutant": {
        const mutant = this.#queue.shift() as string;
        if (passed) return { isOver: this.#queue.length === 0 };
        this.#failed = { mutant, kind: ENDLESS.test(message) ? "timeout" : "killed" };
        this.#step = "control";
        return { isOver: false };
      }
      default: {
        const { mutant, kind } = this.#failed as { mutant: string; kind: "killed" | "timeout" };
        if (!passed) return { entry: { kind: "poisoned", mutant }, isOver: true };
        this.#step = "mutant";
        return { entry: { kind, mutant, by: test }, isOver: this.#queue.length === 0 };
      }
    }
  }

  #open(hits: Hits): string[] {
    return Object.keys(hits).filter((mutant) => this.#left.has(mutant) && !this.#tried.has(mutant));
  }
}
