import fc from "fast-check";
import { Tally, type Class } from "./tally.ts";
import type { Outcome, Part } from "./part.ts";
import type { Target } from "./target.ts";

/** How the parts are run. */
export interface Plan {
  readonly seed: number;
  /** Of all parts together. */
  readonly runs: number;
  /** Where in the tree of cases a failure was; undefined: at its root. */
  readonly path?: string;
  /** How long a smaller case is looked for when one has failed. */
  readonly shrinkSeconds: number;
}

/** What a part came to. */
export interface Result {
  readonly part: string;
  readonly runs: number;
  readonly requests: number;
  readonly counts: Readonly<Record<Class, number>>;
  readonly tookMs: number;
  /** How to repeat it and what it was; undefined: nothing was wrong. */
  readonly failure: string | undefined;
}

/** Runs parts one after the other, each with its share of the runs. */
export async function runParts(target: Target, parts: readonly Part[], plan: Plan): Promise<Result[]> {
  const shares = parts.reduce((sum, { share }) => sum + share, 0);
  const results: Result[] = [];
  for (const part of parts) {
    const runs = Math.max(1, Math.round((plan.runs * part.share) / shares));
    results.push(await runPart(target, part, { ...plan, runs }));
  }
  return results;
}

async function runPart(
  target: Target,
  part: Part,
  { seed, runs, path, shrinkSeconds }: Plan,
): Promise<Result> {
  const tally = new Tally();
  const startMs = performance.now();
  const cases = await part.prepare(target, tally);
  const details = await cases.check({
    seed,
    shrinkSeconds,
    numRuns: runs,
    ...(path === undefined ? {} : { path, endOnFailure: true }),
  });
  const atEnd = await cases.finish().then(
    () => undefined,
    (error: unknown) => String(error),
  );
  const failure = details.failed
    ? failureText(part, details)
    : atEnd && `${part.name}, seed ${seed}: ${atEnd}`;
  return {
    part: part.name,
    runs: details.numRuns,
    requests: tally.requests,
    counts: tally.counts,
    tookMs: performance.now() - startMs,
    failure,
  };
}

function failureText({ name }: Part, details: Outcome): string {
  const { seed, counterexamplePath: path, counterexample, errorInstance, numShrinks } = details;
  return [
    `${name}: repeat it with --only ${name} --seed ${seed} --path ${path}`,
    `after ${details.numRuns} runs, shrunk ${numShrinks} times to ${fc.stringify(counterexample).replaceAll("__proto__:null,", "")}`,
    errorInstance instanceof Error ? (errorInstance.stack ?? errorInstance.message) : String(errorInstance),
  ].join("\n");
}
