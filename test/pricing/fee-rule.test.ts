import { describe, expect, it } from "vitest";
import type { FeeRule, PaymentMethod } from "../../src/pricing/fee-rule.ts";
import { feeRuleProblem, needsConversion, pricingCurrency } from "../../src/pricing/fee-rule.ts";

const plain: FeeRule = {
  percentPpm: 9_900n,
  fixedMinor: 40n,
  minMinor: 100n,
  maxMinor: 15_000n,
  surchargePpm: [0n],
};

function surcharges(count: number, ppm: bigint): bigint[] {
  return Array.from({ length: count }, (_, index) => (index === 0 ? 0n : ppm));
}

describe("feeRuleProblem accepts", () => {
  it.each<[string, PaymentMethod, Partial<FeeRule>]>([
    ["a plain pix rule", "pix", {}],
    ["a plain ted rule", "ted", {}],
    ["a card in a single installment", "card", {}],
    ["a card in 21 installments", "card", { surchargePpm: surcharges(21, 104_900n) }],
    ["no maximum", "pix", { maxMinor: null }],
    ["a maximum equal to the minimum", "pix", { minMinor: 100n, maxMinor: 100n }],
    ["a fixed part above the maximum", "pix", { fixedMinor: 20_000n }],
    ["nothing to pay", "pix", { percentPpm: 0n, fixedMinor: 0n, minMinor: 0n, maxMinor: 0n }],
    ["half of the amount", "pix", { percentPpm: 500_000n }],
    ["percent and surcharge at half", "card", { percentPpm: 100_000n, surchargePpm: [0n, 400_000n] }],
  ])("%s", (_, method, change) => {
    expect(feeRuleProblem(method, { ...plain, ...change })).toBeUndefined();
  });
});

describe("feeRuleProblem refuses", () => {
  it.each<[string, PaymentMethod, Partial<FeeRule>, string, string]>([
    ["a negative percent", "pix", { percentPpm: -1n }, "percent_ppm", "must not be negative"],
    ["more than half", "pix", { percentPpm: 500_001n }, "percent_ppm", "must be at most 500000"],
    ["a negative fixed part", "pix", { fixedMinor: -1n }, "fixed", "must not be negative"],
    ["a negative minimum", "pix", { minMinor: -1n }, "min", "must not be negative"],
    ["a negative maximum", "pix", { maxMinor: -1n }, "max", "must not be negative"],
    ["a maximum below the minimum", "pix", { maxMinor: 99n }, "max", "not be less than min"],
    ["a maximum of 0 below the minimum", "pix", { maxMinor: 0n }, "max", "not be less than min"],
    ["pix without an entry", "pix", { surchargePpm: [] }, "surcharge_ppm", "exactly 1 entry for pix"],
    ["pix in 2 installments", "pix", { surchargePpm: [0n, 0n] }, "surcharge_ppm", "exactly 1 entry for pix"],
    ["ted in 2 installments", "ted", { surchargePpm: [0n, 0n] }, "surcharge_ppm", "exactly 1 entry for ted"],
    ["a card without an entry", "card", { surchargePpm: [] }, "surcharge_ppm", "1 to 21 entries for card"],
    [
      "a card in 22 installments",
      "card",
      { surchargePpm: surcharges(22, 0n) },
      "surcharge_ppm",
      "1 to 21 entries for card",
    ],
    [
      "a surcharge on a single installment",
      "card",
      { surchargePpm: [1n] },
      "surcharge_ppm",
      "must be 0 for 1 installment",
    ],
    [
      "a negative surcharge",
      "card",
      { surchargePpm: [0n, 5n, -1n] },
      "surcharge_ppm",
      "not be negative, for 3 installments",
    ],
    [
      "percent and surcharge above half",
      "card",
      { percentPpm: 100_000n, surchargePpm: [0n, 400_001n] },
      "surcharge_ppm",
      "at most 500000 together with percent_ppm, for 2 installments",
    ],
  ])("%s", (_, method, change, param, message) => {
    const problem = feeRuleProblem(method, { ...plain, ...change });
    expect(problem).toEqual({ param, message: expect.stringContaining(message) });
  });
});

describe("the currencies of a price", () => {
  it.each([
    ["BRL", "BRL", "BRL", false],
    ["BRL", "USD", "BRL", true],
    ["USD", "BRL", "BRL", true],
    ["USD", "USD", "USD", true],
  ] as const)("%s paid out in %s: fees in %s, conversion %s", (currency, payout, fees, converts) => {
    expect(pricingCurrency(currency, payout)).toBe(fees);
    expect(needsConversion(currency, payout)).toBe(converts);
  });
});
