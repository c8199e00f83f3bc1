import { relative } from "node:path";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { SECONDS } from "./durations.ts";

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
