import { describe, expect, test } from "vitest";
import { delayAfter, readRetryAfter } from "../../src/webhooks/retry-schedule.ts";

const HOUR = 3600;
const PLANNED = [5, 300, 1800, 2 * HOUR, 5 * HOUR, 10 * HOUR, 14 * HOUR, 20 * HOUR, 24 * HOUR];

describe("0 s, 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20 h, 24 h with jitter", () => {
  test.each(PLANNED.map((seconds, index) => [index + 1, seconds]))(
    "after attempt %i the next is due in %i s, a tenth more or less",
    (attempt, seconds) => {
      expect(delayAfter(attempt, null, 0.5)).toBe(seconds);
      expect(delayAfter(attempt, null, 0)).toBeCloseTo(seconds * 0.9);
      expect(delayAfter(attempt, null, 1)).toBeCloseTo(seconds * 1.1);
    },
  );

  test("after the tenth there is none", () => {
    expect(delayAfter(10, null, 0.5)).toBeNull();
    expect(delayAfter(10, 60, 0.5)).toBeNull();
  });
});

describe("Retry-After", () => {
  const now = new Date("2026-01-31T12:00:00Z");

  test.each([
    [undefined, null],
    ["120", 120],
    ["0", 0],
    ["999999999", 24 * HOUR],
    ["99999999999999999999", 24 * HOUR],
    ["Sat, 31 Jan 2026 12:02:00 GMT", 120],
    ["Sat, 31 Jan 2026 11:00:00 GMT", 0],
    ["Sat, 31 Jan 2099 11:00:00 GMT", 24 * HOUR],
    ["soon", null],
    ["-5", null],
    ["1.5e3x", null],
  ])("%s is read as %s s", (header, seconds) => {
    expect(readRetryAfter(header, now)).toBe(seconds);
  });

  test("is honoured where it asks for more than is planned, and never shortens", () => {
    expect(delayAfter(1, 60, 0.5)).toBe(60);
    expect(delayAfter(2, 60, 0.5)).toBe(300);
  });
});
