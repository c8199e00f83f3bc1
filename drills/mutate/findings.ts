import type { Mutant } from "./instrument.ts";
import type { Entry } from "./journal.ts";

export type Status = "killed" | "timeout" | "survived" | "uncovered";

/** What is known of every mutant so far, from the journals of the test processes. */
export class Findings {
  readonly #dead = new Map<string, "killed" | "timeout">();
  /** By test file and test: the mutants that it reaches, and those that it was tried with. */
  readonly #covered = new Map<string, Map<string, Set<string>>>();
  readonly #tried = new Map<string, Map<string, Set<string>>>();
  readonly #outside = new Map<string, Set<string>>();
  readonly #poisoned = new Set<string>();
  readonly #unrepeatable = new Set<string>();
  readonly #warm = new Set<string>();

  /** Takes what a process wrote about a test file. Answers the mutant that it had begun and not ended. */
  add(file: string, entries: readonly Entry[]): string | undefined {
    let open: string | undefined;
    for (const entry of entries) {
      if (entry.kind === "covered") this.#setOf(this.#covered, file, entry.test, entry.mutants);
      if (entry.kind === "outside") this.#outsideOf(file, entry.mutants);
      if (entry.kind === "unrepeatable") this.#unrepeatable.add(`${file} ${entry.test}`);
      if (entry.kind === "poisoned") this.#poisoned.add(entry.mutant);
      if (entry.kind === "begin") {
        this.#setOf(this.#tried, file, entry.test, [entry.mutant]);
        open = entry.mutant;
      } else open = undefined;
    }
    return open;
  }

  /** Ends a mutant. */
  bury(mutant: string, kind: "killed" | "timeout"): void {
    this.#dead.set(mutant, kind);
  }

  /** The mutant was tried where a failure would have been its own. */
  markTried(mutant: string): void {
    this.#warm.add(mutant);
  }

  /** The mutant may have broken the service for what came after it. */
  suspect(mutant: string): void {
    this.#poisoned.add(mutant);
  }

  isLeft(mutant: string): boolean {
    return !this.#dead.has(mutant);
  }

  triedIn(file: string): Record<string, string[]> {
    const tests = this.#tried.get(file) ?? new Map<string, Set<string>>();
    return Object.fromEntries([...tests].map(([test, mutants]) => [test, [...mutants]]));
  }

  /** Whether the modules have to be loaded anew to judge the mutant. */
  needsFresh(mutant: string): boolean {
    if (!this.isLeft(mutant)) return false;
    return (
      !this.#warm.has(mutant) ||
      this.#poisoned.has(mutant) ||
      this.#isReachedOutside(mutant) ||
      this.#isInUnrepeatable(mutant)
    );
  }

  /** A test that starts one more service reaches what the others were started with, and does not ask it. */
  #isReachedOutside(mutant: string): boolean {
    return [...this.#outside.values()].some((mutants) => mutants.has(mutant));
  }

  #isInUnrepeatable(mutant: string): boolean {
    return [...this.#covered].some(([file, tests]) =>
      [...tests].some(([test, reached]) => reached.has(mutant) && this.#unrepeatable.has(`${file} ${test}`)),
    );
  }

  /** The tests of the file that reach the mutant; "all" when it is reached before they begin. */
  testsFor(file: string, mutant: string): readonly string[] | "all" {
    if (this.#outside.get(file)?.has(mutant)) return "all";
    const tests = [...(this.#covered.get(file) ?? [])];
    return tests.filter(([, mutants]) => mutants.has(mutant)).map(([test]) => test);
  }

  statusOf({ id }: Mutant): Status {
    const dead = this.#dead.get(id);
    if (dead) return dead;
    const isReached = [...this.#covered.keys(), ...this.#outside.keys()].some(
      (file) => this.testsFor(file, id).length > 0,
    );
    return isReached ? "survived" : "uncovered";
  }

  #setOf(
    map: Map<string, Map<string, Set<string>>>,
    file: string,
    test: string,
    mutants: readonly string[],
  ): void {
    const tests = map.get(file) ?? new Map<string, Set<string>>();
    map.set(file, tests);
    tests.set(test, new Set([...(tests.get(test) ?? []), ...mutants]));
  }

  #outsideOf(file: string, mutants: readonly string[]): void {
    this.#outside.set(file, new Set([...(this.#outside.get(file) ?? []), ...mutants]));
  }
}
