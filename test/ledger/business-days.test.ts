import { describe, expect, test } from "vitest";
import { lastDueDays, newOverride, settlementDay } from "../../src/ledger/business-days.ts";
import { dayOf, isBusinessDay } from "../../src/platform/time/business-days.ts";
import { PaylinkError } from "../../src/platform/rpc/errors.ts";
import { times } from "../support/scale.ts";

const NONE = new Map<string, boolean>();
const day = (text: string): Temporal.PlainDate => Temporal.PlainDate.from(text);
const isOpen = (text: string, overrides = NONE): boolean => isBusinessDay(day(text), overrides);
const settled = (text: string, termDays: number, overrides = NONE): string =>
  settlementDay(day(text), termDays, overrides).toString();

describe("isBusinessDay", () => {
  test.each([
    ["a Saturday", "2026-03-07"],
    ["a Sunday", "2026-03-08"],
    ["New Year", "2026-01-01"],
    ["Carnival Monday", "2026-02-16"],
    ["Carnival Tuesday", "2026-02-17"],
    ["Good Friday", "2026-04-03"],
    ["Tiradentes", "2026-04-21"],
    ["Labour Day", "2026-05-01"],
    ["Corpus Christi", "2026-06-04"],
    ["Independence Day", "2026-09-07"],
    ["Our Lady Aparecida", "2026-10-12"],
    ["All Souls", "2026-11-02"],
    ["Republic Day", "2027-11-15"],
    ["Black Consciousness Day", "2026-11-20"],
    ["Christmas", "2026-12-25"],
  ])("no: %s, %s", (_, text) => expect(isOpen(text)).toBe(false));

  test.each([
    ["a Monday", "2026-03-09"],
    ["a Friday", "2026-03-06"],
    ["Ash Wednesday", "2026-02-18"],
    ["the Friday before Carnival", "2026-02-13"],
    ["Maundy Thursday", "2026-04-02"],
    ["the Friday after Corpus Christi", "2026-06-05"],
    ["the holiday of São Paulo's state", "2026-07-09"],
    ["the holiday of São Paulo's city", "2027-01-25"],
    ["Christmas Eve", "2026-12-24"],
    ["New Year's Eve", "2026-12-31"],
  ])("yes: %s, %s", (_, text) => expect(isOpen(text)).toBe(true));

  test("agrees on every day of 2024 to 2060 with the bank holidays counted from Easter and their dates", () => {
    const differing: string[] = [];
    for (let date = day("2024-01-01"); date.year <= 2060; date = date.add({ days: 1 })) {
      const expected = date.dayOfWeek <= 5 && !bankHolidays(date.year).has(date.toString());
      if (isBusinessDay(date, NONE) !== expected) differing.push(date.toString());
    }
    expect(differing).toEqual([]);
  });

  test("an override opens a holiday and a Sunday, closes a Monday, and leaves other days alone", () => {
    const overrides = new Map([
      ["2026-12-25", true],
      ["2026-03-08", true],
      ["2026-03-09", false],
    ]);
    expect([...overrides.keys()].map((text) => isOpen(text, overrides))).toEqual([true, true, false]);
    expect(["2026-03-07", "2026-03-10"].map((text) => isOpen(text, overrides))).toEqual([false, true]);
  });
});

describe("dayOf", () => {
  test.each([
    ["2026-03-06T22:00:00-03:00", "2026-03-06"],
    ["2026-03-06T23:59:59.999-03:00", "2026-03-06"],
    ["2026-03-07T00:00:00-03:00", "2026-03-07"],
    ["2026-03-07T02:59:59Z", "2026-03-06"],
    ["2026-12-31T23:30:00-03:00", "2026-12-31"],
  ])("%s is on %s", (instant, text) => {
    expect(dayOf(new Date(instant)).toString()).toBe(text);
  });
});

describe("settlementDay", () => {
  test.each([
    ["the day itself", "2026-03-06", "2026-03-06"],
    ["Monday for a Saturday", "2026-03-07", "2026-03-09"],
    ["Monday for a Sunday", "2026-03-08", "2026-03-09"],
    ["Ash Wednesday for Carnival Monday", "2026-02-16", "2026-02-18"],
  ])("D+0 is %s", (_, on, due) => expect(settled(on, 0)).toBe(due));

  test.each([
    ["the next day", "2026-03-05", "2026-03-06"],
    ["Monday for a Friday", "2026-03-06", "2026-03-09"],
    ["Monday for a Saturday", "2026-03-07", "2026-03-09"],
    ["Ash Wednesday for the Friday before Carnival", "2026-02-13", "2026-02-18"],
    ["after New Year, over the weekend", "2026-12-31", "2027-01-04"],
  ])("D+1 is %s", (_, on, due) => expect(settled(on, 1)).toBe(due));

  test.each([
    ["2026-02-12", "2026-02-18"],
    ["2026-02-13", "2026-02-19"],
    ["2026-02-14", "2026-02-19"],
    ["2026-02-16", "2026-02-19"],
    ["2026-02-18", "2026-02-20"],
  ])("D+2 over Carnival: %s is settled on %s", (on, due) => expect(settled(on, 2)).toBe(due));

  test("D+30 skips every weekend and holiday between", () => {
    // Six weeks without a holiday, then Good Friday inside, then Christmas and New Year.
    expect(settled("2026-07-01", 30)).toBe("2026-08-12");
    expect(settled("2026-03-02", 30)).toBe("2026-04-14");
    expect(settled("2026-12-01", 30)).toBe("2027-01-14");
  });

  test("an override of a day between delays it or makes it earlier", () => {
    const closed = new Map([["2026-03-09", false]]);
    expect([settled("2026-03-06", 1, closed), settled("2026-03-06", 2, closed)]).toEqual([
      "2026-03-10",
      "2026-03-11",
    ]);
    expect(settled("2026-03-09", 0, closed)).toBe("2026-03-10");
    const open = new Map([["2026-02-16", true]]);
    expect([settled("2026-02-13", 1, open), settled("2026-02-13", 2, open)]).toEqual([
      "2026-02-16",
      "2026-02-18",
    ]);
  });

  test("an override of the day of success or of the day after it is due changes nothing", () => {
    const overrides = new Map([
      ["2026-03-05", false],
      ["2026-03-07", true],
    ]);
    expect(settled("2026-03-05", 1, overrides)).toBe("2026-03-06");
  });
});

describe("lastDueDays", () => {
  const TERM_MAX = 365;
  const FIRST = "2024-01-01";
  const OVERRIDDEN = new Map([
    ["2026-02-16", true],
    ["2026-03-08", true],
    ["2026-03-09", false],
    ["2026-12-25", true],
    ["2027-06-01", false],
    ["2027-06-02", false],
    ["2027-06-03", false],
  ]);
  const dates = (from: string, count: number): Temporal.PlainDate[] =>
    Array.from({ length: count }, (_, days) => day(from).add({ days }));

  test.each([
    ["the national calendar", NONE],
    ["overrides", OVERRIDDEN],
  ])("by %s, are on each day the last days of each term that settle by then", (_, overrides) => {
    const days = dates(FIRST, 2300);
    const open = days.flatMap((date, index) => (isBusinessDay(date, overrides) ? [index] : []));
    const later = days.map((_date, index) => open.filter((one) => one <= index).length);
    // The N-th business day after a day, or that day itself or the next business day, by the list of all business days.
    const dueOn = (on: number, term: number): number =>
      open[term > 0 ? (later[on] ?? 0) + term - 1 : (later[on - 1] ?? 0)] ?? Number.NaN;
    const places = new Map(days.map((date, index) => [date.toString(), index]));
    const wrong: string[] = [];
    for (const today of dates("2026-01-01", times(365, 90))) {
      const now = places.get(today.toString()) ?? Number.NaN;
      for (const term of [0, 1, 2, 3]) {
        expect(places.get(settlementDay(today, term, overrides).toString())).toBe(dueOn(now, term));
      }
      const lastDays = lastDueDays(today, TERM_MAX, overrides);
      expect(lastDays).toHaveLength(TERM_MAX + 1);
      for (const [term, date] of lastDays.entries()) {
        const last = places.get(date.toString()) ?? Number.NaN;
        if (dueOn(last, term) > now || dueOn(last + 1, term) <= now)
          wrong.push(`${String(today)}: D+${term}, ${String(date)}`);
      }
    }
    expect(wrong).toEqual([]);
  });

  test("go as far as the longest term that is asked for", () => {
    const lastDays = (termDaysMax: number) => lastDueDays(day("2026-03-08"), termDaysMax, NONE).map(String);
    expect(lastDays(0)).toEqual(["2026-03-06"]);
    expect(lastDays(3)).toEqual(["2026-03-06", "2026-03-05", "2026-03-04", "2026-03-03"]);
  });
});

describe("newOverride", () => {
  const createdAt = new Date("2026-03-01T12:00:00Z");
  const make = (text: string) => newOverride({ day: text, isBusinessDay: true, reason: "why" }, createdAt);

  test("is the row of that day, for every tenant", () => {
    const id = expect.stringMatching(/^bdo_[0-9a-z]{26}$/);
    expect(make("2028-02-29")).toEqual({
      tenantId: "default",
      id,
      day: "2028-02-29",
      isBusinessDay: true,
      reason: "why",
      createdAt,
    });
  });

  test.each(["2026-02-30", "2027-02-29", "2026-13-01", "2026-00-10", "0000-01-01", "tomorrow", ""])(
    "%j is refused: invalid_request on day",
    (text) => {
      expect(() => make(text)).toThrow(PaylinkError);
      expect(() => make(text)).toThrow(expect.objectContaining({ code: "invalid_request", param: "day" }));
    },
  );
});

const FIXED = ["01-01", "04-21", "05-01", "09-07", "10-12", "11-02", "11-15", "11-20", "12-25"];
// Carnival Monday and Tuesday, Good Friday, Corpus Christi.
const FROM_EASTER = [-48, -47, -2, 60];

const known = new Map<number, ReadonlySet<string>>();

function bankHolidays(year: number): ReadonlySet<string> {
  const days =
    known.get(year) ??
    new Set([
      ...FIXED.map((text) => `${year}-${text}`),
      ...FROM_EASTER.map((offset) => easter(year).add({ days: offset }).toString()),
    ]);
  known.set(year, days);
  return days;
}

/** Easter Sunday, by the algorithm of Meeus, Jones and Butcher. */
function easter(year: number): Temporal.PlainDate {
  const century = Math.floor(year / 100);
  const golden = year % 19;
  const corrected =
    century - Math.floor(century / 4) - Math.floor((century - Math.floor((century + 8) / 25) + 1) / 3);
  const moon = (19 * golden + corrected + 15) % 30;
  const inCentury = year % 100;
  const weekday = (32 + 2 * (century % 4) + 2 * Math.floor(inCentury / 4) - moon - (inCentury % 4)) % 7;
  const late = Math.floor((golden + 11 * moon + 22 * weekday) / 451);
  const days = moon + weekday - 7 * late + 114;
  return Temporal.PlainDate.from({ year, month: Math.floor(days / 31), day: (days % 31) + 1 });
}
