import { tmpdir } from "node:os";
import { join } from "node:path";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { seedOfRun } from "./test/support/seed.ts";

// Begun first, because what is begun last and waits long is waited for by all.
const LONGEST = [
  "test/readme",
  "drills/fuzz",
  "webhooks/kills",
  "operations/traces",
  "operations/drain",
  "operations/log-canaries",
  "operations/alarms",
  "checkout/price-parity",
  "browser/journeys",
  "webhooks/under-load",
  "webhooks/deliveries",
  "cli/webhooks",
  "cli/serve",
  "cli/help",
  "examples/examples",
  "webhooks/takeover",
  "console/payments-large",
  "console/links-browser",
  "console/media-and-webhooks",
  "console/administration-journeys",
  "console/payments-export",
  "console/changes-large",
  "console/close-journeys",
  "console/home",
  "robustness/connection-loss",
];

function rank({ moduleId }: TestSpecification): number {
  const index = LONGEST.findIndex((name) => moduleId.endsWith(`${name}.test.ts`));
  return index < 0 ? LONGEST.length : index;
}

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // oxlint-disable-next-line unicorn/no-array-sort -- the sequencer's own method
    const bySize = await super.sort(files);
    return bySize.toSorted((a, b) => rank(a) - rank(b));
  }
}

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    globalSetup: ["test/support/seed-report.ts", "test/support/cluster.ts"],
    setupFiles: ["test/support/seed-setup.ts"],
    // Of a slow machine; a test that hangs is rare.
    testTimeout: 90_000,
    hookTimeout: 120_000,
    // One more than the cores, for many tests wait; in full they do more and wait less.
    maxWorkers: process.env["CI"] === undefined ? 3 : 2,
    isolate: false,
    sequence: { sequencer: LongestFirst },
    env: {
      // The processes that tests start compile the same files.
      NODE_COMPILE_CACHE: join(tmpdir(), "paylink-test-compile-cache"),
      SEED: seedOfRun(),
    },
  },
});
