import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  formatMicros,
  MICROS,
  parseRateMicros,
  publicRateMicros,
  ratchetRateMicros,
} from "../../src/pricing/rate.ts";

const runs = { numRuns: 10_000 };
const anyRate = fc.bigInt({ min: 1n, max: 999_999_999_999_999_999n });

describe("publicRateMicros", () => {
  it("adds the coverage to the spot and rounds up", () => {
    expect(publicRateMicros(5_432_100n, 15_000n)).toBe(5_513_582n);
  });

  it("keeps the spot without coverage", () => {
    expect(publicRateMicros(5_432_100n, 0n)).toBe(5_432_100n);
  });

  it("is the smallest rate that covers spot and coverage", () => {
    fc.assert(
      fc.property(anyRate, fc.bigInt({ min: 0n, max: MICROS }), (spotMicros, coveragePpm) => {
        const due = spotMicros * (1_000_000n + coveragePpm);
        const rate = publicRateMicros(spotMicros, coveragePpm);
        expect(rate * 1_000_000n >= due && (rate - 1n) * 1_000_000n < due).toBe(true);
      }),
      runs,
    );
  });
});

describe("ratchetRateMicros", () => {
  it.each([
    [5_400_000n, 5_513_582n],
    [5_513_582n, 5_513_582n],
    [5_550_000n, 5_550_000n],
    [5_568_717n, 5_568_717n],
    [5_568_718n, 5_568_718n],
    [5_568_719n, 5_568_718n],
    [5_700_000n, 5_568_718n],
    [null, 5_513_582n],
  ])("quoted at 5513582, current %s: %s", (current, expected) => {
    expect(ratchetRateMicros(5_513_582n, current)).toBe(expected);
  });

  it("stays between the quote's rate and 1 % above it, and follows the current rate inside", () => {
    fc.assert(
      fc.property(anyRate, fc.bigInt({ min: -30_000n, max: 30_000n }), (quote, drift) => {
        const current = quote + (quote * drift) / MICROS;
        const rate = ratchetRateMicros(quote, current);
        const withinCap = rate * 100n < quote * 101n + 100n;
        const chosen = current < quote ? rate === quote : rate === current || rate * 100n >= quote * 101n;
        expect(rate >= quote && withinCap && chosen).toBe(true);
      }),
      runs,
    );
  });
});

describe("parseRateMicros and formatMicros", () => {
  it.each([
    ["5.432100", 5_432_100n],
    ["5.4321", 5_432_100n],
    ["5", 5_000_000n],
    ["0.000001", 1n],
    ["999999999999.999999", 999_999_999_999_999_999n],
  ])("reads %s", (text, rateMicros) => {
    expect(parseRateMicros(text)).toBe(rateMicros);
  });

  it.each([
    ["nothing", ""],
    ["zero", "0"],
    ["zero with decimals", "0.000000"],
    ["a negative rate", "-5.4"],
    ["a sign", "+5.4"],
    ["seven decimals", "5.4321000"],
    ["an exponent", "5e0"],
    ["hexadecimal", "0x5"],
    ["a comma", "5,4321"],
    ["spaces", " 5.4"],
    ["a line end", "5.4\n"],
    ["no digit before the point", ".5"],
    ["no digit after the point", "5."],
    ["a leading zero", "05.4"],
    ["other digits", "٥"],
    ["not a number", "NaN"],
    ["infinity", "Infinity"],
    ["thirteen digits before the point", "1000000000000"],
  ])("refuses %s", (_, text) => {
    const refusal = /^0(\.0+)?$/.test(text)
      ? "a rate is greater than zero"
      : "a rate is a plain decimal with at most 6 decimals";
    expect(() => parseRateMicros(text)).toThrow(new RangeError(refusal));
  });

  it.each([
    [5_513_582n, "5.513582"],
    [5_400_000n, "5.400000"],
    [1n, "0.000001"],
    [999_999_999_999_999_999n, "999999999999.999999"],
  ])("writes %s", (rateMicros, text) => {
    expect(formatMicros(rateMicros)).toBe(text);
  });

  it("reads back every rate it writes", () => {
    fc.assert(
      fc.property(anyRate, (rateMicros) => {
        expect(parseRateMicros(formatMicros(rateMicros))).toBe(rateMicros);
      }),
      runs,
    );
  });
});
