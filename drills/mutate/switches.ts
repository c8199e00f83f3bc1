/** What the instrumented code reads and writes, by the names that Stryker gives. */
export interface Switches {
  activeMutant: string | undefined;
  currentTestId: string | undefined;
  hitCount: number | undefined;
  hitLimit: number | undefined;
  mutantCoverage: { static: Record<string, number>; perTest: Record<string, Record<string, number>> };
}

/** Mutated code that runs more often than this, above what it does unchanged, never ends. */
const HITS_MAX = 100;

export class MutantSwitches {
  readonly #switches: Switches = {
    activeMutant: undefined,
    currentTestId: undefined,
    hitCount: undefined,
    hitLimit: undefined,
    mutantCoverage: { static: {}, perTest: {} },
  };

  constructor() {
    Object.assign(globalThis, { __stryker__: this.#switches });
  }

  /** What is run from here on, with the mutant if one is given, belongs to a test. */
  begin(mutant: string | undefined, hitsBefore: number): void {
    this.#switches.mutantCoverage.perTest = {};
    this.#switches.currentTestId = "test";
    this.#switches.hitCount = 0;
    this.#switches.hitLimit = HITS_MAX * (hitsBefore + HITS_MAX);
    this.#switches.activeMutant = mutant;
  }

  /** Answers how often each mutant was reached since `begin`. */
  end(): Readonly<Record<string, number>> {
    this.#switches.activeMutant = undefined;
    this.#switches.currentTestId = undefined;
    return this.#switches.mutantCoverage.perTest["test"] ?? {};
  }

  activate(mutant: string | undefined): void {
    this.#switches.hitCount = undefined;
    this.#switches.activeMutant = mutant;
  }

  /** The mutants that were reached outside of tests. */
  get outside(): string[] {
    return Object.keys(this.#switches.mutantCoverage.static);
  }
}
