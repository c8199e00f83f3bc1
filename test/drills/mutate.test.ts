import { join } from "node:path";
import { expect, test } from "vitest";
import { runProgram } from "../support/process.ts";

const DRILL = join(import.meta.dirname, "..", "..", "drills", "mutate", "main.ts");
const FOLDER = "test/drills/mutate";

test("mutants are killed, end by their time, survive and are out of reach of the tests, each as it should", async () => {
  const given = [
    DRILL,
    "--file",
    `${FOLDER}/toll.ts`,
    "--tests",
    `${FOLDER}/toll.check.ts`,
    "--workers",
    "1",
  ];
  const { code, stdout } = await runProgram(process.execPath, given, {});
  expect(code).toBe(1);
  const survivors = [...stdout.matchAll(/^(\S+) (\w+) (survived|not covered)\n  - (.*)\n  \+ (.*)$/gm)];
  expect(
    survivors.map(([, place, mutator, status, original, replacement]) =>
      [place, mutator, status, original, replacement].join(" "),
    ),
  ).toEqual([
    `${FOLDER}/toll.ts:5 EqualityOperator survived age < FREE_UNTIL_AGE age <= FREE_UNTIL_AGE`,
    `${FOLDER}/toll.ts:15 BlockStatement not covered { return "not covered"; } {}`,
    `${FOLDER}/toll.ts:16 StringLiteral not covered "not covered" ""`,
  ]);
  expect(stdout).toMatch(/^ +all +\d+ +\d+ +[1-9]\d* +1 +2 +\d+\.\d %$/m);
});
