import { table } from "../table.ts";
import type { Findings } from "./findings.ts";
import type { Mutant } from "./instrument.ts";
import type { Survivors } from "./survivors.ts";

const SCORE_MIN = 85;
const TITLES = ["file", "mutants", "killed", "timed out", "survived", "not covered", "score"];

/** The mutants that live and of which the list has no entry. */
export function unexplained(
  mutants: readonly Mutant[],
  findings: Findings,
  survivors: Survivors,
): readonly Mutant[] {
  return alive(mutants, findings).filter((mutant) => survivors.reasonOf(mutant) === undefined);
}

/** Prints what became of the mutants. Answers whether that is good enough. */
export function report(
  mutants: readonly Mutant[],
  findings: Findings,
  survivors: Survivors,
  print: (line: string) => void,
): boolean {
  const files = [...new Set(mutants.map(({ file }) => file))];
  const total = rowOf("all", mutants, findings);
  print(table(TITLES, [...files.map((file) => rowOf(file, ofFile(mutants, file), findings)), total]));
  const living = alive(mutants, findings);
  for (const mutant of living) {
    const { file, line, mutator, original, replacement } = mutant;
    const reason = survivors.reasonOf(mutant);
    const status = findings.statusOf(mutant) === "uncovered" ? "not covered" : "survived";
    print(`\n${file}:${line} ${mutator} ${reason === undefined ? status : `accepted: ${reason}`}`);
    print(`  - ${original}\n  + ${replacement}`);
  }
  for (const entry of survivors.unused(living)) print(`\naccepted, but no survivor any more: ${entry}`);
  const unknown = unexplained(mutants, findings, survivors).length;
  const score = scoreOf(mutants, findings);
  print(`\nscore ${score.toFixed(1)} % (at least ${SCORE_MIN}), ${unknown} survivors without a reason`);
  return score >= SCORE_MIN && unknown === 0;
}

function ofFile(mutants: readonly Mutant[], file: string): Mutant[] {
  return mutants.filter((mutant) => mutant.file === file);
}

function alive(mutants: readonly Mutant[], findings: Findings): Mutant[] {
  return mutants.filter(({ id }) => findings.isLeft(id));
}

function scoreOf(mutants: readonly Mutant[], findings: Findings): number {
  if (mutants.length === 0) return 0;
  return 100 - (100 * alive(mutants, findings).length) / mutants.length;
}

function rowOf(name: string, mutants: readonly Mutant[], findings: Findings): string[] {
  const count = (status: string): string =>
    String(mutants.filter((mutant) => findings.statusOf(mutant) === status).length);
  const counts = ["killed", "timeout", "survived", "uncovered"].map((status) => count(status));
  return [name, String(mutants.length), ...counts, `${scoreOf(mutants, findings).toFixed(1)} %`];
}
