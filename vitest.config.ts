import { join } from "node:path";
import { tmpdir } from "node:os";
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    globalSetup: ["test/support/cluster.ts"],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    maxWorkers: 2,
    // The processes that tests start compile the same files.
    env: { NODE_COMPILE_CACHE: join(tmpdir(), "paylink-test-compile-cache") },
  },
});
