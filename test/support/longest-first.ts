import { readFileSync } from "node:fs";
import { relative } from "node:path";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Seconds of the files that take long, by their path from the root, as `scripts/write-durations.ts` left them. */
const SECONDS = JSON.parse(readFileSync(new URL("../durations.json", import.meta.url), "utf8")) as Readonly<
  Record<string, number>
>;

/**
 * Begins the longest files first, because what is begun last and waits long is waited for by all. The other files
 * follow in Vitest's own order.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const secondsOf = ({ moduleId }: TestSpecification): number =>
      SECONDS[relative(this.ctx.config.root, moduleId)] ?? 0;
    // oxlint-disable-next-line unicorn/no-array-sort -- the sequencer's own method
    const rest = await super.sort(files);
    return rest.toSorted((a, b) => secondsOf(b) - secondsOf(a));
  }
}
