import fc from "fast-check";
import { beforeEach } from "vitest";
import { drawn, draws } from "./seed.ts";

// Before each test file.
fc.configureGlobal({
  seed: drawn.seed,
  ...(drawn.path === "" ? {} : { path: drawn.path, endOnFailure: true }),
});
draws.isUsed = false;

beforeEach(({ onTestFailed }) => {
  onTestFailed(({ task }) => {
    if (!draws.isUsed) return;
    for (const error of task.result?.errors ?? []) error.message += `\nDrawn with SEED=${drawn.seed}`;
  });
});
