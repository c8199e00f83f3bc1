import type { Reporter, TestCase } from "vitest/node";

/** Names at the end of a run the tests that passed only when they ran again. */
export default class FlakyReport implements Reporter {
  readonly #names: string[] = [];

  onTestCaseResult(test: TestCase): void {
    if (test.diagnostic()?.flaky) this.#names.push(`${test.module.relativeModuleId}: ${test.fullName}`);
  }

  onTestRunEnd(): void {
    for (const name of this.#names) console.warn(`Passed only the second time, a fault to mend: ${name}`);
  }
}
