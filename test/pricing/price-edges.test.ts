import { describe, expect, it } from "vitest";
import { type PriceInput, computePrice, isNetPositive } from "../../src/pricing/price.ts";
import { floorDiv } from "../../src/pricing/rounding.ts";
import { iofOn, pixInBrl, brlToUsd, usdToBrl, usdToUsd, cardIn12 } from "./worked-examples.ts";

describe("the smallest amount the merchant can absorb", () => {
  it("leaves no net at 100", () => {
    const price = computePrice({ ...pixInBrl, amountMinor: 100n });
    expect(price).toMatchObject({
      baseMinor: 100n,
      percentAmountMinor: 1n,
      rawTotalMinor: 41n,
      serviceFeeMinor: 100n,
      minApplied: true,
      netMinor: 0n,
      receiverNetMinor: 0n,
    });
    expect(isNetPositive(price)).toBe(false);
  });

  it("leaves a net of 1 at 101", () => {
    const price = computePrice({ ...pixInBrl, amountMinor: 101n });
    expect(price).toMatchObject({ serviceFeeMinor: 100n, netMinor: 1n, receiverNetMinor: 1n });
    expect(isNetPositive(price)).toBe(true);
  });

  it("rounds a net below zero down, with the IOF and the conversion", () => {
    const price = computePrice({ ...brlToUsd, amountMinor: 50n, iof: iofOn });
    expect(price).toMatchObject({ netMinor: -49n, iofAmountMinor: -1n, receiverNetMinor: -9n });
    expect(isNetPositive(price)).toBe(false);
  });
});

describe("a fee that is its minimum or its maximum by itself", () => {
  it.each([
    [6061n, 100n],
    [1_511_111n, 15_000n],
  ])("of %d is %d, and neither is applied", (amountMinor, serviceFeeMinor) => {
    const price = computePrice({ ...pixInBrl, amountMinor });
    expect(price).toMatchObject({ serviceFeeMinor, rawTotalMinor: serviceFeeMinor });
    expect([price.minApplied, price.maxApplied]).toEqual([false, false]);
  });
});

describe("floorDiv", () => {
  it.each([
    [-7n, -3n],
    [-6n, -2n],
    [-1n, -1n],
    [0n, 0n],
    [1n, 0n],
    [6n, 2n],
  ])("takes a third of %d to be %d", (dividend, quotient) => {
    expect(floorDiv(dividend, 3n)).toBe(quotient);
  });
});

describe("isNetPositive", () => {
  it("looks at what is received: 5 cents of BRL passed through are 0 in USD", () => {
    const price = computePrice({ ...brlToUsd, amountMinor: 5n, feeHandling: "pass_through" });
    expect(price).toMatchObject({ netMinor: 5n, receiverNetMinor: 0n });
    expect(isNetPositive(price)).toBe(false);
  });
});

describe("faults of the caller", () => {
  it.each([usdToBrl, brlToUsd, usdToUsd])("throws without a rate, $currency to $payoutCurrency", (input) => {
    expect(() => computePrice({ ...input, rateMicros: null })).toThrow("no rate");
  });

  it.each([0, 2, 1.5])("throws for pix in %d installments", (installments) => {
    expect(() => computePrice({ ...pixInBrl, installments })).toThrow("no surcharge");
  });

  it("throws for a card beyond its rule's installments", () => {
    expect(() => computePrice({ ...cardIn12, installments: 13 })).toThrow("no surcharge");
  });

  it("throws rather than pass through a negative amount", () => {
    const input: PriceInput = { ...pixInBrl, amountMinor: -200n, feeHandling: "pass_through" };
    expect(() => computePrice(input)).toThrow("no gross amount");
  });
});
