import { expect, test } from "vitest";
import { daysToRead, statedUntil, type ReadDay } from "../../src/reconciliation/reading-days.ts";

const noonOf = (day: string): number => Date.parse(`${day}T15:00:00Z`);
const read = (day: string, readOn: string, isComplete = true): ReadDay => ({
  day,
  isComplete,
  readAt: new Date(noonOf(readOn)),
});
const of = { firstDay: "2026-11-01", hasToday: true, nowMs: noonOf("2026-11-04") };

test("days are read until they were read as a whole, today each time", () => {
  expect(daysToRead(of, [])).toEqual(["2026-11-01", "2026-11-02", "2026-11-03", "2026-11-04"]);
  const known = [read("2026-11-02", "2026-11-03"), read("2026-11-03", "2026-11-03", false)];
  expect(daysToRead({ ...of, firstDay: "2026-11-02" }, known.slice(1))).toEqual([
    "2026-11-02",
    "2026-11-03",
    "2026-11-04",
  ]);
});

test("a day is read once more on the day after that on which it was read as a whole, and not again", () => {
  const next = { ...of, firstDay: "2026-11-02", hasToday: false };
  expect(daysToRead(next, [read("2026-11-02", "2026-11-03"), read("2026-11-03", "2026-11-04")])).toEqual([
    "2026-11-02",
  ]);
  expect(daysToRead(next, [read("2026-11-02", "2026-11-04"), read("2026-11-03", "2026-11-04")])).toEqual([]);
});

test("a statement is known up to the first day that is not whole", () => {
  expect(statedUntil("2026-11-01", [])).toBeNull();
  const known = [
    read("2026-11-01", "2026-11-02"),
    read("2026-11-02", "2026-11-02", false),
    read("2026-11-03", "2026-11-04"),
  ];
  expect(statedUntil("2026-11-01", known)).toBe("2026-11-01");
  expect(statedUntil("2026-11-01", [...known, read("2026-11-02", "2026-11-03")])).toBe("2026-11-03");
});
