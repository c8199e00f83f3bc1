import { describe, expect, it } from "vitest";
import type { Currency, FeeRule, PaymentMethod } from "../../src/pricing/fee-rule.ts";
import type { PriceInput } from "../../src/pricing/price.ts";
import { computePrice, isNetPositive } from "../../src/pricing/price.ts";

const card12 = Array.from({ length: 12 }, (_, index) => (index === 11 ? 104_900n : 0n));
const rules = {
  PIX_BRL: { percentPpm: 9_900n, fixedMinor: 40n, minMinor: 100n, maxMinor: 15_000n, surchargePpm: [0n] },
  CARD_BRL: { percentPpm: 39_900n, fixedMinor: 39n, minMinor: 100n, maxMinor: null, surchargePpm: card12 },
  PIX_USD: { percentPpm: 19_900n, fixedMinor: 30n, minMinor: 50n, maxMinor: 10_000n, surchargePpm: [0n] },
} satisfies Record<string, FeeRule>;

const RATE_MICROS = 5_513_582n;

type Terms = `${Currency} to ${Currency} ${PaymentMethod} ${number}x ${"absorb" | "pass_through"} ${number}`;

function inputOf(terms: Terms, rule: keyof typeof rules, iofEnabled: boolean): PriceInput {
  const [currency, , payoutCurrency, method, count, feeHandling, amount] = terms.split(" ");
  const converts = currency === "USD" || payoutCurrency === "USD";
  return {
    amountMinor: BigInt(amount ?? ""),
    currency: currency === "USD" ? "USD" : "BRL",
    payoutCurrency: payoutCurrency === "USD" ? "USD" : "BRL",
    method: method === "card" ? "card" : "pix",
    installments: Number.parseInt(count ?? "", 10),
    feeHandling: feeHandling === "absorb" ? "absorb" : "pass_through",
    rule: rules[rule],
    rateMicros: converts ? RATE_MICROS : null,
    iof: { ppm: 35_000n, enabled: iofEnabled },
  };
}

interface Vector {
  terms: Terms;
  rule: keyof typeof rules;
  iofEnabled?: true;
  base: bigint;
  fee: [pct: bigint, raw: bigint, final: bigint];
  S: bigint;
  I: bigint;
  T: bigint;
  N: bigint;
  payer: bigint;
  receiver: bigint;
  total: bigint;
}

// prettier-ignore
const vectors: Vector[] = [
  { terms: "BRL to BRL pix 1x absorb 15990", rule: "PIX_BRL", base: 15_990n, fee: [158n, 198n, 198n], S: 0n, I: 0n, T: 15_990n, N: 15_792n, payer: 15_990n, receiver: 15_792n, total: 198n },
  { terms: "BRL to BRL card 12x pass_through 100000", rule: "CARD_BRL", base: 100_000n, fee: [4_667n, 4_706n, 4_706n], S: 12_271n, I: 0n, T: 116_977n, N: 100_000n, payer: 116_977n, receiver: 100_000n, total: 16_977n },
  { terms: "USD to USD pix 1x absorb 10000", rule: "PIX_USD", base: 10_000n, fee: [199n, 229n, 229n], S: 0n, I: 0n, T: 10_000n, N: 9_771n, payer: 55_136n, receiver: 9_771n, total: 229n },
  { terms: "USD to USD pix 1x pass_through 10000", rule: "PIX_USD", iofEnabled: true, base: 10_000n, fee: [211n, 241n, 241n], S: 0n, I: 350n, T: 10_591n, N: 10_000n, payer: 58_395n, receiver: 10_000n, total: 591n },
  { terms: "USD to BRL pix 1x pass_through 10000", rule: "PIX_BRL", base: 55_136n, fee: [552n, 592n, 592n], S: 0n, I: 0n, T: 55_728n, N: 55_136n, payer: 55_728n, receiver: 55_136n, total: 592n },
  { terms: "BRL to USD pix 1x absorb 55000", rule: "PIX_BRL", iofEnabled: true, base: 55_000n, fee: [545n, 585n, 585n], S: 0n, I: 1_841n, T: 55_000n, N: 52_574n, payer: 55_000n, receiver: 9_535n, total: 2_426n },
  { terms: "BRL to BRL pix 1x absorb 1000", rule: "PIX_BRL", base: 1_000n, fee: [10n, 50n, 100n], S: 0n, I: 0n, T: 1_000n, N: 900n, payer: 1_000n, receiver: 900n, total: 100n },
  { terms: "BRL to BRL pix 1x absorb 2000000", rule: "PIX_BRL", base: 2_000_000n, fee: [19_800n, 19_840n, 15_000n], S: 0n, I: 0n, T: 2_000_000n, N: 1_985_000n, payer: 2_000_000n, receiver: 1_985_000n, total: 15_000n },
];

describe("the worked examples of the pricing page", () => {
  it.each(vectors)("$terms, IOF enabled: $iofEnabled", (vector) => {
    const input = inputOf(vector.terms, vector.rule, vector.iofEnabled ?? false);
    const price = computePrice(input);
    const [pct, raw, final] = vector.fee;
    expect(price).toMatchObject({
      pricingCurrency: vector.rule.endsWith("USD") ? "USD" : "BRL",
      baseMinor: vector.base,
      percentAmountMinor: pct,
      fixedMinor: input.rule.fixedMinor,
      rawTotalMinor: raw,
      serviceFeeMinor: final,
      minApplied: raw < final,
      maxApplied: raw > final,
      installmentSurchargeMinor: vector.S,
      iofAmountMinor: vector.I,
      iofApplicable: input.payoutCurrency === "USD",
      iofEnabled: input.iof.enabled,
      grossMinor: vector.T,
      netMinor: vector.N,
      payerTotalMinor: vector.payer,
      payerCurrency: "BRL",
      receiverNetMinor: vector.receiver,
      receiverCurrency: input.payoutCurrency,
      totalFeeMinor: vector.total,
    });
    expect(isNetPositive(price)).toBe(true);
  });

  it("splits 116977 in 12 installments as 9749 + 11 x 9748", () => {
    const price = computePrice(inputOf("BRL to BRL card 12x pass_through 100000", "CARD_BRL", false));
    expect([price.firstInstallmentMinor, price.otherInstallmentMinor]).toEqual([9_749n, 9_748n]);
  });
});

describe("the smallest amount the merchant can absorb", () => {
  it("leaves no net at 100", () => {
    const price = computePrice(inputOf("BRL to BRL pix 1x absorb 100", "PIX_BRL", false));
    expect(price).toMatchObject({
      baseMinor: 100n,
      percentAmountMinor: 1n,
      rawTotalMinor: 41n,
      serviceFeeMinor: 100n,
      minApplied: true,
      receiverNetMinor: 0n,
    });
    expect(isNetPositive(price)).toBe(false);
  });

  it("leaves a net of 1 at 101", () => {
    const price = computePrice(inputOf("BRL to BRL pix 1x absorb 101", "PIX_BRL", false));
    expect(price.receiverNetMinor).toBe(1n);
    expect(isNetPositive(price)).toBe(true);
  });

  it("rounds a net below zero down, with the IOF and the conversion", () => {
    const price = computePrice(inputOf("BRL to USD pix 1x absorb 50", "PIX_BRL", true));
    expect(price).toMatchObject({ netMinor: -49n, iofAmountMinor: -1n, receiverNetMinor: -9n });
    expect(isNetPositive(price)).toBe(false);
  });
});

describe("faults of the caller", () => {
  it.each(["USD to BRL", "BRL to USD", "USD to USD"] as const)("throws without a rate, %s", (pair) => {
    const input = inputOf(`${pair} pix 1x absorb 10000`, "PIX_USD", false);
    expect(() => computePrice({ ...input, rateMicros: null })).toThrow("no rate");
  });

  it.each([0, 2, 1.5])("throws for pix in %d installments", (installments) => {
    const input = inputOf("BRL to BRL pix 1x absorb 10000", "PIX_BRL", false);
    expect(() => computePrice({ ...input, installments })).toThrow("no surcharge");
  });

  it("throws for a card beyond its rule's installments", () => {
    expect(() => computePrice(inputOf("BRL to BRL card 13x absorb 10000", "CARD_BRL", false))).toThrow(
      "no surcharge",
    );
  });

  it("throws rather than pass through a negative amount", () => {
    expect(() => computePrice(inputOf("BRL to BRL pix 1x pass_through -200", "PIX_BRL", false))).toThrow(
      "no gross amount",
    );
  });
});
