import fc from "fast-check";
import type { Tally } from "./tally.ts";
import type { Target } from "./target.ts";

/** One kind of input, and what must hold of the answers. */
export interface Part {
  readonly name: string;
  /** Of a hundred runs of all parts together. */
  readonly share: number;
  /** Makes what its cases need. */
  readonly prepare: (target: Target, tally: Tally) => Promise<Cases>;
}

/** A part that is ready to run. */
export interface Cases {
  readonly check: (parameters: Settings) => Promise<Outcome>;
  /** Throws what is wrong after all cases together. */
  readonly finish: () => Promise<void>;
}

type Settings = Pick<
  fc.Parameters<unknown>,
  "seed" | "path" | "numRuns" | "endOnFailure" | "interruptAfterTimeLimit"
> & {
  /** How long a smaller case is looked for. */
  readonly shrinkSeconds: number;
};

/** What came of cases. */
export type Outcome = Pick<
  fc.RunDetails<unknown>,
  "failed" | "seed" | "counterexample" | "counterexamplePath" | "numRuns" | "numShrinks" | "errorInstance"
>;

/** Cases that are drawn from `arbitrary` and each held to `run`, which throws what is wrong. */
export function casesOf<Case>(
  arbitrary: fc.Arbitrary<Case>,
  run: (drawn: Case) => Promise<void>,
  finish: () => Promise<void> = () => Promise.resolve(),
): Cases {
  return {
    check: async ({ shrinkSeconds, ...settings }) => {
      let failedAtMs: number | undefined;
      let count = 0;
      const bounded = async (drawn: Case): Promise<void> => {
        // Past its time the smallest that was found stays the smallest.
        if (failedAtMs !== undefined && performance.now() - failedAtMs > shrinkSeconds * 1000) return;
        // A path leads to one case; where that is right, its neighbours are not asked for.
        if (settings.path !== undefined && count > 0) return;
        count++;
        try {
          await run(drawn);
        } catch (error) {
          failedAtMs ??= performance.now();
          throw error;
        }
      };
      const details = await fc.check(fc.asyncProperty(arbitrary, bounded), settings);
      return settings.path === undefined ? details : { ...details, numRuns: count };
    },
    finish,
  };
}

/** An answer that is not as the contract says. */
export class Mismatch extends Error {
  override readonly name = "Mismatch";
}
