import type { RunnerTestCase } from "vitest";

/** Where a test is in its file: Vitest's id of it, without the file's. */
export function testKey(test: RunnerTestCase): string {
  return test.id.slice(test.file.id.length);
}
