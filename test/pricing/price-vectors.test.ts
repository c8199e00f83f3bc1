import { describe, expect, it } from "vitest";
import type { PriceInput } from "../../src/pricing/price.ts";
import { computePrice, isNetPositive } from "../../src/pricing/price.ts";
import { iofOn, pixInBrl, brlToUsd, usdToBrl, usdToUsd, cardIn12 } from "./worked-examples.ts";

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
