import { inject, TestRunner, vi, type RunnerTask, type RunnerTestCase, type RunnerTestFile } from "vitest";
import { writeEntry, type Entry, type Order } from "./journal.ts";
import { MutantSwitches } from "./switches.ts";
import { testKey } from "./test-key.ts";

/**
 * Runs the file once without a mutant, once for each mutant and once more without, each time with modules loaded anew: for
 * what is decided while modules load or a service starts.
 */
export class FreshRunner extends TestRunner {
  readonly #order: Order = inject("mutation");
  readonly #switches = new MutantSwitches();
  #run = -1;
  #hasFailed = false;

  constructor(config: ConstructorParameters<typeof TestRunner>[0]) {
    super(config);
    this.#write({ kind: "process", pid: process.pid });
  }

  get #mutant(): string | undefined {
    return this.#order.mutants[this.#run - 1];
  }

  override onCollectStart(file: RunnerTestFile): void {
    super.onCollectStart(file);
    this.#run += 1;
    this.#hasFailed = false;
    vi.resetModules();
    const mutant = this.#mutant;
    this.#switches.activate(mutant);
    if (mutant !== undefined) this.#write({ kind: "begin", test: file.name, mutant });
  }

  override async onBeforeRunTask(test: RunnerTestCase): Promise<void> {
    const wanted = this.#order.tests[this.#mutant ?? ""];
    if (this.#hasFailed || !(wanted?.includes(testKey(test)) ?? true)) test.mode = "skip";
    await super.onBeforeRunTask(test);
  }

  override onAfterRunTask(test: RunnerTestCase): void {
    super.onAfterRunTask(test);
    if (test.result?.state === "fail") this.#hasFailed = true;
  }

  override onAfterRunFiles(files: RunnerTestFile[]): void {
    super.onAfterRunFiles(files);
    const mutant = this.#mutant;
    const errors = files.flatMap((file) => errorsOf(file));
    const message = errors.join("\n");
    const test = files[0]?.name ?? "";
    if (mutant === undefined) {
      if (errors.length > 0) this.#write({ kind: "broken", test, message });
      if (this.#run > 0) this.#write({ kind: "end" });
    } else if (errors.length === 0) this.#write({ kind: "survived", mutant });
    else this.#write({ kind: message.includes("timed out in") ? "timeout" : "killed", mutant, by: test });
  }

  #write(entry: Entry): void {
    writeEntry(this.#order.journal, entry);
  }
}

function errorsOf(task: RunnerTask): string[] {
  const own = task.result?.state === "fail" ? (task.result.errors ?? []).map(({ message }) => message) : [];
  return "tasks" in task ? [...own, ...task.tasks.flatMap((inner) => errorsOf(inner))] : own;
}
