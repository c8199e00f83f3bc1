import { inject, TestRunner, type RunnerTestCase, type RunnerTestFile } from "vitest";
import { writeEntry, type Entry, type Order } from "./journal.ts";
import { MutantSwitches } from "./switches.ts";
import { testKey } from "./test-key.ts";
import { Trials } from "./trials.ts";

const ATTEMPTS_MAX = 1_000_000;
const AGAIN = { name: "Error", message: "again" };

type Options = Parameters<TestRunner["onBeforeTryTask"]>[1];

/**
 * Runs each test again and again on the same modules and the same service: without a mutant, then with each mutant that it
 * reaches. Vitest believes that it retries a test that fails, so its hooks run each time as well.
 */
export class WarmRunner extends TestRunner {
  readonly #order: Order = inject("mutation");
  readonly #switches = new MutantSwitches();
  readonly #left = new Set(this.#order.mutants);
  #trials: Trials | undefined;
  #isPoisoned = false;

  constructor(config: ConstructorParameters<typeof TestRunner>[0]) {
    super(config);
    this.#write({ kind: "process", pid: process.pid });
  }

  override async onBeforeRunTask(test: RunnerTestCase): Promise<void> {
    if (this.#isPoisoned) test.mode = "skip";
    await super.onBeforeRunTask(test);
    if (test.mode !== "run" && test.mode !== "queued") return;
    test.retry = ATTEMPTS_MAX;
    const key = testKey(test);
    this.#trials = new Trials(key, this.#left, new Set(this.#order.tried[key]), this.#order.longestMs);
  }

  override onBeforeTryTask(test: RunnerTestCase, options: Options): void {
    super.onBeforeTryTask(test, options);
    const trials = this.#trials;
    if (!trials) return;
    const mutant = trials.next;
    if (mutant !== undefined) this.#write({ kind: "begin", test: testKey(test), mutant });
    this.#switches.begin(mutant, trials.hitsOf(mutant));
  }

  override async onAfterRetryTask(test: RunnerTestCase, options: Options): Promise<void> {
    await super.onAfterRetryTask(test, options);
    const { result } = test;
    if (!this.#trials || !result) return;
    const hits = this.#switches.end();
    const message = result.errors?.map((error) => error.message).join("\n") ?? "";
    const { entry, isOver } = this.#trials.settle(result.state !== "fail", message, hits);
    if (entry) this.#write(entry);
    if (entry?.kind === "killed" || entry?.kind === "timeout") this.#left.delete(entry.mutant);
    if (entry?.kind === "poisoned") this.#isPoisoned = true;
    if (isOver) this.#trials = undefined;
    // Vitest tries again what failed with an error.
    result.state = isOver ? "pass" : "fail";
    result.errors = isOver ? [] : [AGAIN];
    if (result.attempts) result.attempts.length = 0;
  }

  override onAfterRunFiles(files: RunnerTestFile[]): void {
    super.onAfterRunFiles(files);
    for (const file of files) {
      if (file.result?.state !== "fail" || file.tasks.some(({ result }) => result !== undefined)) continue;
      const message = file.result.errors?.map((error) => error.message).join("\n") ?? "";
      this.#write({ kind: "broken", test: file.name, message });
    }
    this.#write({ kind: "outside", mutants: this.#switches.outside });
    if (!this.#isPoisoned) this.#write({ kind: "end" });
  }

  #write(entry: Entry): void {
    writeEntry(this.#order.journal, entry);
  }
}
