import { tmpdir } from "node:os";
import { join } from "node:path";
import { configDefaults, defineConfig } from "vitest/config";
import { FULL_ONLY } from "./test/support/durations.ts";
import { LongestFirst } from "./test/support/longest-first.ts";
import { seedOfRun } from "./test/support/seed.ts";
import { temporaryFolder } from "./test/support/temporary-folder.ts";

// For this process, and for all that it and the tests start.
process.env["TMPDIR"] = temporaryFolder();

const ALL = "test/**/*.test.ts";
/** `npm test` leaves out what only `npm run test:full` runs. */
const EXCLUDED: Readonly<Record<string, readonly string[]>> = { small: FULL_ONLY };

export default defineConfig(({ mode }) => ({
  test: {
    include: [ALL],
    exclude: [...configDefaults.exclude, ...(EXCLUDED[mode] ?? [])],
    globalSetup: ["test/support/seed-report.ts", "test/support/cluster.ts"],
    setupFiles: ["test/support/seed-setup.ts"],
    // Of a slow machine; a test that hangs is rare.
    testTimeout: 90_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 10_000 } },
    // A machine of others may stop for seconds. What passed only the second time is named at the end.
    retry: process.env["CI"] === undefined ? 0 : 1,
    reporters: ["default", "./test/support/flaky-report.ts"],
    // One more than the cores, for many tests wait.
    maxWorkers: 3,
    isolate: false,
    sequence: { sequencer: LongestFirst },
    env: {
      // The processes that tests start compile the same files.
      NODE_COMPILE_CACHE: join(tmpdir(), "paylink-test-compile-cache"),
      SEED: seedOfRun(),
    },
  },
}));
