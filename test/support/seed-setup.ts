import fc from "fast-check";
import { relative } from "node:path";
import { beforeEach, expect } from "vitest";
import { running } from "./scale.ts";
import { drawn, draws } from "./seed.ts";

// Before each test file.
fc.configureGlobal({
  seed: drawn.seed,
  ...(drawn.path === "" ? {} : { path: drawn.path, endOnFailure: true }),
});
draws.isUsed = false;
running.file = relative(process.cwd(), expect.getState().testPath ?? "");

beforeEach(({ onTestFailed }) => {
  onTestFailed(({ task }) => {
    if (!draws.isUsed) return;
    for (const error of task.result?.errors ?? []) error.message += `\nDrawn with SEED=${drawn.seed}`;
  });
});
