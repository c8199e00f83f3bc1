import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { STATUSES } from "../../contract/error-codes.ts";
import { DELIVERED_TYPES } from "../../contract/event-types.ts";

const page = readFileSync(join(import.meta.dirname, "..", "..", "docs", "merchants.md"), "utf8");

/** Returns the first cells of the rows of the table that has this title. */
function rowsUnder(title: string): string[][] {
  const [, table = ""] = page.split(`| ${title} |`);
  const [rows = ""] = table.trimEnd().split("\n\n", 1);
  return rows
    .split("\n")
    .slice(2)
    .map((row) => row.split("|").map((cell) => cell.trim().replaceAll("`", "")));
}

test("the guide says what to do about each error, with its status", () => {
  const rows = rowsUnder("code | status").map(([, code, status]) => [code, Number(status)]);
  expect(Object.fromEntries(rows)).toEqual(STATUSES);
});

test("the guide says what to do about each event", () => {
  const rows = rowsUnder("event | what happened").map(([, event]) => event);
  expect(new Set(rows)).toEqual(new Set(DELIVERED_TYPES));
});
