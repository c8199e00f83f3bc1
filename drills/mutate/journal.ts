import { appendFileSync } from "node:fs";
import { readFile } from "node:fs/promises";

/** What a test process does with mutants, recorded at once: it may hang or die at the next step. */
export type Entry =
  | { readonly kind: "process"; readonly pid: number }
  /** The mutants that the test reaches. */
  | { readonly kind: "covered"; readonly test: string; readonly mutants: readonly string[] }
  /** The mutants that are reached outside of tests: while modules are loaded, in hooks of the file. */
  | { readonly kind: "outside"; readonly mutants: readonly string[] }
  | { readonly kind: "begin"; readonly test: string; readonly mutant: string }
  | { readonly kind: "killed" | "timeout"; readonly mutant: string; readonly by: string }
  | { readonly kind: "survived"; readonly mutant: string }
  /** After this mutant the test fails without any. */
  | { readonly kind: "poisoned"; readonly mutant: string }
  /** The test fails when it runs twice on the same service. */
  | { readonly kind: "unrepeatable"; readonly test: string }
  /** It fails without a mutant. */
  | { readonly kind: "broken"; readonly test: string; readonly message: string }
  /** Everything has run. */
  | { readonly kind: "end" };

/** What a test process is asked to do with one test file. */
export interface Order {
  /**
   * "warm": each test that reaches a mutant runs with it, all on the same modules and service. "fresh": the modules are
   * loaded anew and the whole file runs for each mutant.
   */
  readonly kind: "warm" | "fresh";
  readonly journal: string;
  readonly mutants: readonly string[];
  /** When warm: a test that takes longer, in milliseconds, is not repeated. */
  readonly longestMs: number;
  /** When warm, by test: the mutants that it has been tried with. */
  readonly tried: Readonly<Record<string, readonly string[]>>;
  /** When fresh, by mutant: the tests to run; all when it is not there. */
  readonly tests: Readonly<Record<string, readonly string[]>>;
}

declare module "vitest" {
  export interface ProvidedContext {
    mutation: Order;
  }
}

export function writeEntry(journal: string, entry: Entry): void {
  appendFileSync(journal, `${JSON.stringify(entry)}\n`);
}

export async function readEntries(journal: string): Promise<Entry[]> {
  const text = await readFile(journal, "utf8");
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Entry);
}
