import { execFile } from "node:child_process";
import { mkdtemp, readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import type { Results } from "../../tools/bench/results.ts";

describe.runIf(process.env["CI"])("the benchmark's quick run", () => {
  it("checks every answer of this service and of its rivals, and writes figures and a chart", async () => {
    const out = await mkdtemp(join(tmpdir(), "paylink-bench-out-"));
    const args = ["tools/bench/run.ts", "--quick", "--only", "create,accept,page100,payer", "--out", out];
    await promisify(execFile)(process.execPath, args);

    const { comparisons } = JSON.parse(await readFile(join(out, "results.json"), "utf8")) as Results;
    expect(
      comparisons.map(({ workload, measured }) => [workload, ...measured.map(({ server }) => server)]),
    ).toEqual([
      ["create", "ours", "plain", "single", "floor"],
      ["accept", "ours"],
      ["page100", "ours", "plain", "floor"],
      ["payer", "ours"],
    ]);
    for (const { measured } of comparisons) {
      for (const { figures } of measured) expect(figures.perSecond.median).toBeGreaterThan(0);
    }
    expect(await readFile(join(out, "results.svg"), "utf8")).toContain("GET /v1/payments, 100 of a month");
  });
});
