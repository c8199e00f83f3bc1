import Holidays from "date-holidays";
import { expect, test } from "vitest";
import { bankHolidays } from "../../src/platform/time/bank-holidays.ts";

const CLOSED = new Set(["public", "bank"]);
const SATURDAY = 6;
const calendar = new Holidays("BR");

const isWorkday = (day: string): boolean => Temporal.PlainDate.from(day).dayOfWeek < SATURDAY;

function workdaysOf(days: Iterable<string>): string[] {
  return [...new Set(days)].filter(isWorkday).toSorted();
}

function ofLibrary(year: number): string[] {
  const closed = calendar.getHolidays(year).filter(({ type }) => CLOSED.has(type));
  return workdaysOf(closed.map(({ date }) => date.slice(0, "YYYY-MM-DD".length)));
}

test("the banks' holidays are those of a calendar that others keep, from 1970 to 2199", () => {
  const years = Array.from({ length: 230 }, (_, index) => 1970 + index);
  for (const year of years) expect(workdaysOf(bankHolidays(year))).toEqual(ofLibrary(year));
});
