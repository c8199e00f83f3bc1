import { describe, expect, test } from "vitest";
import {
  afterBankMs,
  bankDayOf,
  bankMsBetween,
  beforeBankMs,
} from "../../src/platform/time/business-days.ts";

const HOUR_MS = 3_600_000;
const NONE = new Map<string, boolean>();
/** A time of São Paulo. */
const at = (text: string): Date =>
  new Date(Temporal.PlainDateTime.from(text).toZonedDateTime("America/Sao_Paulo").epochMilliseconds);
const hours = (from: string, to: string, overrides = NONE): number =>
  bankMsBetween(at(from), at(to), overrides) / HOUR_MS;

describe("bank-open time between two instants", () => {
  test.each([
    ["counts each hour of a business day, at night too", "2026-03-04T13:10", "2026-03-05T13:10", 24],
    ["counts none of a weekend", "2026-03-06T13:10", "2026-03-09T13:10", 24],
    ["stands still on Sunday", "2026-03-08T00:00", "2026-03-09T00:00", 0],
    ["counts none of Carnival, and Ash Wednesday", "2026-02-13T13:10", "2026-02-18T13:10", 24],
    ["counts none of Christmas", "2026-12-24T12:00", "2026-12-28T12:00", 24],
    ["begins on a day without banks at its end", "2026-03-07T15:00", "2026-03-09T01:00", 1],
    ["is nothing backwards", "2026-03-09T13:10", "2026-03-06T13:10", 0],
    // Its clocks went forward for the last time at the end of a Saturday in 2018.
    ["has no hour of summer time since 2019", "2026-10-16T13:10", "2026-10-19T13:10", 24],
    ["has 24 hours on the Monday after a change of the clocks", "2018-11-05T00:00", "2018-11-06T00:00", 24],
  ])("%s", (_what, from, to, expected) => expect(hours(from, to)).toBe(expected));

  test("counts a day as an override says", () => {
    const overrides = new Map([
      ["2026-03-05", false],
      ["2026-03-07", true],
    ]);
    expect(hours("2026-03-04T12:00", "2026-03-09T12:00", overrides)).toBe(12 + 24 + 24 + 12);
  });

  test("is what lies between an instant and the one after that time", () => {
    for (const from of ["2026-03-06T13:10", "2026-03-07T09:00", "2026-02-13T23:59:59", "2026-12-31T18:00"]) {
      for (const spent of [1, 10, 24, 30, 100]) {
        const end = afterBankMs(at(from), spent * HOUR_MS, NONE);
        expect(bankMsBetween(at(from), end, NONE)).toBe(spent * HOUR_MS);
        expect(bankMsBetween(at(from), new Date(end.getTime() - 1), NONE)).toBe(spent * HOUR_MS - 1);
      }
    }
  });
});

test("30 hours after a Friday's bulletin is Monday evening, and Wednesday's before Carnival", () => {
  expect(afterBankMs(at("2026-03-06T13:10"), 30 * HOUR_MS, NONE)).toEqual(at("2026-03-09T19:10"));
  expect(afterBankMs(at("2026-02-13T13:10"), 30 * HOUR_MS, NONE)).toEqual(at("2026-02-18T19:10"));
});

test("the search for a day on which banks are open ends", () => {
  const closed = new Map<string, boolean>();
  let day = Temporal.PlainDate.from("2026-01-01");
  for (let count = 0; count < 4000; count++) {
    closed.set(day.toString(), false);
    day = day.add({ days: 1 });
  }
  expect(afterBankMs(at("2026-01-02T10:00"), HOUR_MS, closed)).toEqual(at("2026-01-02T10:00"));
});

test("the instant before some bank-open time is the last from which on it passes", () => {
  for (const to of ["2026-03-06T13:10", "2026-03-08T09:00", "2026-02-18T06:00", "2027-01-02T18:00"]) {
    for (const spent of [1, 10, 24, 30, 100]) {
      const from = beforeBankMs(at(to), spent * HOUR_MS, NONE);
      expect(bankMsBetween(from, at(to), NONE)).toBe(spent * HOUR_MS);
      expect(bankMsBetween(new Date(from.getTime() + 1), at(to), NONE)).toBe(spent * HOUR_MS - 1);
    }
  }
});

test("an instant of a closed day belongs to the business day before", () => {
  expect(bankDayOf(at("2026-03-06T23:59"), NONE).toString()).toBe("2026-03-06");
  expect(bankDayOf(at("2026-03-08T12:00"), NONE).toString()).toBe("2026-03-06");
  expect(bankDayOf(at("2026-02-17T12:00"), NONE).toString()).toBe("2026-02-13");
  expect(bankDayOf(at("2026-03-08T12:00"), new Map([["2026-03-07", true]])).toString()).toBe("2026-03-07");
});
