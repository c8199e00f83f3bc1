import { execFile } from "node:child_process";
import { mkdtemp, readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import type { SaleResults } from "../../tools/bench/sale/sale.ts";
import type { Results } from "../../tools/bench/results.ts";

// Six starts of a service take a minute on a machine with other work.
const SALE_MS = 240_000;

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
      ["accept", "ours", "plain"],
      ["page100", "ours", "plain", "floor"],
      ["payer", "ours", "plain"],
    ]);
    for (const { measured } of comparisons) {
      for (const { figures } of measured) expect(figures.perSecond.median).toBeGreaterThan(0);
    }
    expect(await readFile(join(out, "results.svg"), "utf8")).toContain("GET /v1/payments, 100 of a month");
  });

  it(
    "sells whole sales by this service and by the plain one, each with its event",
    { timeout: SALE_MS },
    async () => {
      const out = await mkdtemp(join(tmpdir(), "paylink-bench-out-"));
      const args = ["tools/bench/run.ts", "--quick", "--sale", "--out", out];
      const { stdout } = await promisify(execFile)(process.execPath, args);

      const { sales, steps } = JSON.parse(await readFile(join(out, "sale.json"), "utf8")) as SaleResults;
      expect(sales.map(({ kind, samples }) => [kind, ...Object.keys(samples)])).toEqual([
        ["quote", "ours", "plain"],
        ["quote", "ours", "plain"],
        ["link", "ours", "plain"],
        ["link", "ours", "plain"],
      ]);
      for (const { samples } of sales) {
        for (const [sample] of Object.values(samples)) {
          expect(sample?.salesPerSecond).toBeGreaterThan(0);
          expect(sample?.steps["event"]?.p99Ms).toBeGreaterThanOrEqual(0);
        }
      }
      expect(steps.map(({ step }) => step)).toEqual([
        "create",
        "quote",
        "accept",
        "payer",
        "simulate",
        "payment",
      ]);
      expect(stdout).toContain("a sale by a quote, warm");
    },
  );
});
