import { defineConfig } from "vitest/config";
import { seedOfRun } from "../support/seed.ts";

/** As the whole suite draws, for the two tests that fail whatever is drawn. */
export default defineConfig({
  test: {
    include: ["test/seed/fails.ts"],
    globalSetup: ["test/support/seed-report.ts"],
    setupFiles: ["test/support/seed-setup.ts"],
    env: { SEED: seedOfRun() },
  },
});
