import { join } from "node:path";
import { expect, test } from "vitest";
import { runProgram } from "../support/process.ts";
import { isInFull } from "../support/scale.ts";

const DRILL = join(import.meta.dirname, "..", "..", "tools", "drills", "chaos", "main.ts");
const SHORT = ["--seconds", "1", "--only", "PostgreSQL", "--no-migrations"];

test.runIf(isInFull())(
  "npm run chaos in short: the control loses something, the service nothing",
  { timeout: 300_000 },
  async () => {
    const { code, stdout, stderr } = await runProgram(process.execPath, [DRILL, ...SHORT], {});
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toMatch(/control: [1-9]\d* of \d+ acknowledged were lost by kill \d, as they must be/);
    expect(stdout).toMatch(/[1-9]\d* acknowledged, [1-9]\d* events delivered, 0 problems/);
  },
);
