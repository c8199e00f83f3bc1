import { describe, expect, test } from "vitest";
import {
  cursorAfter,
  dueAfter,
  dueAfterFailure,
  firstSweeps,
  periodOfSweep,
} from "../../src/provider-accounts/sweep-times.ts";

const DAY_MS = 86_400_000;
// 12:30 in São Paulo.
const NOW = new Date("2026-03-10T15:30:00Z");
const DAY_START = new Date("2026-03-10T03:00:00Z");
const time = (text: string) => new Date(text);

describe("the sweep of received money", () => {
  test("reads from 900 seconds before its cursor up to 60 seconds before now", () => {
    const period = periodOfSweep("received", time("2026-03-10T14:29:00Z"), NOW);
    expect(period).toEqual({ from: time("2026-03-10T14:14:00Z"), to: time("2026-03-10T15:29:00Z") });
  });

  test("leaves its cursor where its period ended, and is due an hour later", () => {
    expect(cursorAfter("received", NOW)).toEqual(time("2026-03-10T15:29:00Z"));
    expect(dueAfter("received", NOW)).toEqual(time("2026-03-10T16:30:00Z"));
  });

  test("has nothing to read if its cursor is far ahead of the clock", () => {
    expect(periodOfSweep("received", new Date(NOW.getTime() + 900_000), NOW)).toBeNull();
  });
});

describe("the sweep of whole days", () => {
  test("reads from its cursor to the last millisecond of yesterday in São Paulo", () => {
    const period = periodOfSweep("day", time("2026-03-08T03:00:00Z"), NOW);
    expect(period).toEqual({ from: time("2026-03-08T03:00:00Z"), to: time("2026-03-10T02:59:59.999Z") });
  });

  test("leaves no instant between two days", () => {
    const first = periodOfSweep("day", new Date(DAY_START.getTime() - DAY_MS), NOW);
    const next = periodOfSweep("day", cursorAfter("day", NOW), new Date(NOW.getTime() + DAY_MS));
    expect((next?.from.getTime() ?? 0) - (first?.to.getTime() ?? 0)).toBe(1);
  });

  test("is due one hour after the next midnight, and has nothing to read before", () => {
    expect(cursorAfter("day", NOW)).toEqual(DAY_START);
    expect(dueAfter("day", NOW)).toEqual(time("2026-03-11T04:00:00Z"));
    expect(periodOfSweep("day", DAY_START, NOW)).toBeNull();
  });
});

describe("the sweep of returns", () => {
  test("is due two hours after the next midnight", () => {
    expect(dueAfter("returns", NOW)).toEqual(time("2026-03-11T05:00:00Z"));
  });

  test("reads money whose return of its 90th day came after that day's sweep", () => {
    const returnedAt = new Date(dueAfter("returns", NOW).getTime() + 1000);
    const receivedAt = new Date(returnedAt.getTime() - 90 * DAY_MS);
    const next = dueAfter("returns", returnedAt);
    const period = periodOfSweep("returns", NOW, next);
    expect(period?.from.getTime()).toBeLessThan(receivedAt.getTime());
    expect(period?.to).toEqual(new Date(next.getTime() - 60_000));
  });
});

test("a new account's sweeps begin now, those of days with the present day", () => {
  const made = firstSweeps("ten", "acc", NOW);
  expect(made.map(({ kind, sweptTo, dueAt }) => [kind, sweptTo, dueAt])).toEqual([
    ["received", NOW, dueAfter("received", NOW)],
    ["day", DAY_START, dueAfter("day", NOW)],
    ["returns", NOW, dueAfter("returns", NOW)],
  ]);
});

test.each([
  [1, 60],
  [2, 120],
  [6, 1920],
  [7, 3600],
  [60, 3600],
])("after %i failures in a row a sweep is due in %i seconds", (count, seconds) => {
  expect(dueAfterFailure(count, NOW, null)).toEqual(new Date(NOW.getTime() + seconds * 1000));
});

test.each([
  [30, 60],
  [7200, 7200],
])("a provider that asks for %i seconds is asked again in %i", (asked, seconds) => {
  expect(dueAfterFailure(1, NOW, asked)).toEqual(new Date(NOW.getTime() + seconds * 1000));
});
