import { describe, expect, it } from "vitest";
import type { FeeRule } from "../../src/pricing/fee-rule.ts";
import type { PriceInput } from "../../src/pricing/price.ts";
import { computePrice, isNetPositive } from "../../src/pricing/price.ts";
import { floorDiv } from "../../src/pricing/rounding.ts";

const PIX_BRL: FeeRule = {
  percentPpm: 9_900n,
  fixedMinor: 40n,
  minMinor: 100n,
  maxMinor: 15_000n,
  surchargePpm: [0n],
};
const CARD_BRL: FeeRule = {
  percentPpm: 39_900n,
  fixedMinor: 39n,
  minMinor: 100n,
  maxMinor: null,
  surchargePpm: Array.from({ length: 12 }, (_, index) => (index === 11 ? 104_900n : 0n)),
};
const PIX_USD: FeeRule = {
  percentPpm: 19_900n,
  fixedMinor: 30n,
  minMinor: 50n,
  maxMinor: 10_000n,
  surchargePpm: [0n],
};

const iof = { ppm: 35_000n, enabled: false };
const iofOn = { ppm: 35_000n, enabled: true };
const rateMicros = 5_513_582n;

const pixInBrl: PriceInput = {
  amountMinor: 10_000n,
  currency: "BRL",
  payoutCurrency: "BRL",
  method: "pix",
  installments: 1,
  feeHandling: "absorb",
  rule: PIX_BRL,
  rateMicros: null,
  iof,
};
const brlToUsd: PriceInput = { ...pixInBrl, payoutCurrency: "USD", rateMicros };
const usdToBrl: PriceInput = { ...pixInBrl, currency: "USD", rateMicros };
const usdToUsd: PriceInput = {
  ...pixInBrl,
  currency: "USD",
  payoutCurrency: "USD",
  rule: PIX_USD,
  rateMicros,
};
const cardIn12: PriceInput = { ...pixInBrl, method: "card", installments: 12, rule: CARD_BRL };

interface Vector {
  name: string;
  input: PriceInput;
  pricing?: "USD";
  base: bigint;
  fee: [pct: bigint, raw: bigint, final: bigint];
  S?: bigint;
  I?: bigint;
  T: bigint;
  N: bigint;
  payer: bigint;
  receiver: bigint;
  total: bigint;
}

const vectors: Vector[] = [
  {
    name: "BRL to BRL pix absorb 15990",
    input: { ...pixInBrl, amountMinor: 15_990n },
    base: 15_990n,
    fee: [158n, 198n, 198n],
    T: 15_990n,
    N: 15_792n,
    payer: 15_990n,
    receiver: 15_792n,
    total: 198n,
  },
  {
    name: "BRL to BRL card 12x pass_through 100000",
    input: { ...cardIn12, amountMinor: 100_000n, feeHandling: "pass_through" },
    base: 100_000n,
    fee: [4_667n, 4_706n, 4_706n],
    S: 12_271n,
    T: 116_977n,
    N: 100_000n,
    payer: 116_977n,
    receiver: 100_000n,
    total: 16_977n,
  },
  {
    name: "USD to USD pix absorb 10000, IOF off",
    input: usdToUsd,
    pricing: "USD",
    base: 10_000n,
    fee: [199n, 229n, 229n],
    T: 10_000n,
    N: 9_771n,
    payer: 55_136n,
    receiver: 9_771n,
    total: 229n,
  },
  {
    name: "USD to USD pix pass_through 10000, IOF on",
    input: { ...usdToUsd, feeHandling: "pass_through", iof: iofOn },
    pricing: "USD",
    base: 10_000n,
    fee: [211n, 241n, 241n],
    I: 350n,
    T: 10_591n,
    N: 10_000n,
    payer: 58_395n,
    receiver: 10_000n,
    total: 591n,
  },
  {
    name: "USD to BRL pix pass_through 10000",
    input: { ...usdToBrl, feeHandling: "pass_through" },
    base: 55_136n,
    fee: [552n, 592n, 592n],
    T: 55_728n,
    N: 55_136n,
    payer: 55_728n,
    receiver: 55_136n,
    total: 592n,
  },
  {
    name: "BRL to USD pix absorb 55000, IOF on",
    input: { ...brlToUsd, amountMinor: 55_000n, iof: iofOn },
    base: 55_000n,
    fee: [545n, 585n, 585n],
    I: 1_841n,
    T: 55_000n,
    N: 52_574n,
    payer: 55_000n,
    receiver: 9_535n,
    total: 2_426n,
  },
  {
    name: "minimum: BRL pix absorb 1000",
    input: { ...pixInBrl, amountMinor: 1_000n },
    base: 1_000n,
    fee: [10n, 50n, 100n],
    T: 1_000n,
    N: 900n,
    payer: 1_000n,
    receiver: 900n,
    total: 100n,
  },
  {
    name: "maximum: BRL pix absorb 2000000",
    input: { ...pixInBrl, amountMinor: 2_000_000n },
    base: 2_000_000n,
    fee: [19_800n, 19_840n, 15_000n],
    T: 2_000_000n,
    N: 1_985_000n,
    payer: 2_000_000n,
    receiver: 1_985_000n,
    total: 15_000n,
  },
];

describe("the worked examples of the pricing page", () => {
  it.each(vectors)("$name", ({ input, base, fee: [pct, raw, final], ...vector }) => {
    const price = computePrice(input);
    expect(price).toEqual({
      pricingCurrency: vector.pricing ?? "BRL",
      baseMinor: base,
      grossMinor: vector.T,
      netMinor: vector.N,
      percentAmountMinor: pct,
      fixedMinor: input.rule.fixedMinor,
      rawTotalMinor: raw,
      serviceFeeMinor: final,
      minApplied: raw < final,
      maxApplied: raw > final,
      installmentSurchargeMinor: vector.S ?? 0n,
      iofAmountMinor: vector.I ?? 0n,
      iofApplicable: input.payoutCurrency === "USD",
      iofEnabled: input.iof.enabled,
      totalFeeMinor: vector.total,
      payerTotalMinor: vector.payer,
      payerCurrency: "BRL",
      receiverNetMinor: vector.receiver,
      receiverCurrency: input.payoutCurrency,
      firstInstallmentMinor: input.installments === 12 ? 9_749n : vector.payer,
      otherInstallmentMinor: input.installments === 12 ? 9_748n : vector.payer,
    });
    expect(isNetPositive(price)).toBe(true);
  });
});

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
