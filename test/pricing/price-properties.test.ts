import { deepStrictEqual } from "node:assert/strict";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { feeRuleProblem } from "../../src/pricing/fee-rule.ts";
import type { Price, PriceInput } from "../../src/pricing/price.ts";
import { computePrice, isNetPositive } from "../../src/pricing/price.ts";
import { inputs } from "./price-inputs.ts";
import { referencePrice } from "./reference-price.ts";

function always(
  arbitrary: fc.Arbitrary<PriceInput>,
  holds: (input: PriceInput, price: Price) => boolean,
): void {
  fc.assert(
    fc.property(arbitrary, (input) => holds(input, computePrice(input))),
    { numRuns: 10_000 },
  );
}

describe("every generated input", () => {
  it("has a rule that may be entered, up to its edges", () => {
    const seen = new Set<string>();
    always(inputs(), ({ method, rule, installments, currency, payoutCurrency }) => {
      const surchargePpm = rule.surchargePpm[installments - 1] ?? 0n;
      seen.add(`${currency} to ${payoutCurrency} ${method} ${installments}`);
      if (rule.percentPpm + surchargePpm === 500_000n) seen.add("half of the amount");
      if (rule.maxMinor === rule.minMinor) seen.add("one fee only");
      if (rule.maxMinor !== null && rule.fixedMinor > rule.maxMinor) seen.add("fixed above the maximum");
      return feeRuleProblem(method, rule) === undefined;
    });
    expect(seen.size).toBe(4 * (21 + 1 + 1) + 3);
  });
});

describe("every price", () => {
  it("equals the reference's", () => {
    always(inputs(), (input, price) => {
      deepStrictEqual(price, referencePrice(input));
      return true;
    });
  });

  it("adds up: gross is net, service fee, surcharge and IOF", () => {
    always(inputs(), (_, price) => {
      const fees = price.serviceFeeMinor + price.installmentSurchargeMinor + price.iofAmountMinor;
      return price.grossMinor === price.netMinor + fees && price.totalFeeMinor === fees;
    });
  });

  it("has no negative part once the net is positive", () => {
    always(inputs(), (_, price) => {
      const parts = [price.serviceFeeMinor, price.installmentSurchargeMinor, price.iofAmountMinor];
      return !isNetPositive(price) || (price.netMinor > 0n && parts.every((part) => part >= 0n));
    });
  });

  it("keeps the service fee between its minimum and maximum", () => {
    always(inputs(), ({ rule }, price) => {
      const fee = price.serviceFeeMinor;
      const inside = fee >= rule.minMinor && (rule.maxMinor === null || fee <= rule.maxMinor);
      const isRaw = fee === price.rawTotalMinor && !price.minApplied && !price.maxApplied;
      const isMin = fee === rule.minMinor && price.minApplied && fee > price.rawTotalMinor;
      const isMax = fee === rule.maxMinor && price.maxApplied && fee < price.rawTotalMinor;
      return inside && (isRaw || isMin || isMax);
    });
  });

  it("takes IOF only where it applies and is enabled", () => {
    always(inputs(), ({ payoutCurrency, iof }, price) => {
      const reported = price.iofApplicable === (payoutCurrency === "USD") && price.iofEnabled === iof.enabled;
      return reported && (price.iofAmountMinor === 0n || (price.iofApplicable && price.iofEnabled));
    });
  });

  it("is paid in installments that add up, the first being the largest by less than a cent each", () => {
    always(inputs(), ({ installments }, price) => {
      const { firstInstallmentMinor: first, otherInstallmentMinor: other } = price;
      const n = BigInt(installments);
      return first + (n - 1n) * other === price.payerTotalMinor && first >= other && first - other < n;
    });
  });
});

describe("fee handling", () => {
  it("absorb: the gross is the base", () => {
    always(inputs({ feeHandling: "absorb" }), (_, price) => price.grossMinor === price.baseMinor);
  });

  it("pass_through: the net is the base", () => {
    always(inputs({ feeHandling: "pass_through" }), (_, price) => price.netMinor === price.baseMinor);
  });

  it("absorbing a passed-through gross gives back the base", () => {
    always(inputs({ feeHandling: "pass_through" }), (input, price) => {
      const { pricingCurrency: currency, grossMinor: amountMinor } = price;
      const absorbed = computePrice({ ...input, currency, amountMinor, feeHandling: "absorb" });
      return absorbed.netMinor === price.baseMinor && absorbed.totalFeeMinor === price.totalFeeMinor;
    });
  });

  it("pass_through: the gross strictly grows with the base", () => {
    const passed = inputs({ feeHandling: "pass_through" });
    always(passed, (input, price) => {
      const next = computePrice({ ...input, amountMinor: input.amountMinor + 1n });
      const baseGrowth = next.baseMinor - price.baseMinor;
      return next.grossMinor - price.grossMinor >= baseGrowth && baseGrowth >= 0n;
    });
  });

  it("pass_through: no smaller gross leaves the base", () => {
    const pairs = [
      ["BRL", "BRL"],
      ["USD", "USD"],
    ] as const;
    const small = inputs({ pairs, feeHandling: "pass_through" }).map((input) => ({
      ...input,
      amountMinor: (input.amountMinor % 60n) + 1n,
      iof: { ...input.iof, enabled: false },
      rule: { ...input.rule, fixedMinor: input.rule.fixedMinor % 60n, minMinor: 0n, maxMinor: null },
    }));
    always(small, (input, price) => {
      const absorbed: PriceInput = { ...input, currency: price.pricingCurrency, feeHandling: "absorb" };
      for (let gross = price.baseMinor; gross < price.grossMinor; gross++) {
        if (computePrice({ ...absorbed, amountMinor: gross }).netMinor >= price.netMinor) return false;
      }
      return true;
    });
  });
});

describe("conversion", () => {
  it("USD priced: the payer's total is the gross at the rate, less than a cent more", () => {
    always(inputs({ pairs: [["USD", "USD"]] }), ({ rateMicros }, price) => {
      const rounding = price.payerTotalMinor * 1_000_000n - price.grossMinor * (rateMicros ?? 0n);
      return price.pricingCurrency === "USD" && rounding >= 0n && rounding < 1_000_000n;
    });
  });

  it("BRL to USD: the receiver's net is the net at the rate, less than a cent less", () => {
    always(inputs({ pairs: [["BRL", "USD"]] }), ({ rateMicros }, price) => {
      const rate = rateMicros ?? 0n;
      const rounding = price.netMinor * 1_000_000n - price.receiverNetMinor * rate;
      return price.pricingCurrency === "BRL" && rounding >= 0n && rounding < rate;
    });
  });

  it("USD to BRL: the base is the amount at the rate, less than a cent more", () => {
    always(inputs({ pairs: [["USD", "BRL"]] }), ({ amountMinor, rateMicros }, price) => {
      const rounding = price.baseMinor * 1_000_000n - amountMinor * (rateMicros ?? 0n);
      return price.receiverNetMinor === price.netMinor && rounding >= 0n && rounding < 1_000_000n;
    });
  });

  it("BRL to BRL: no rate has any effect", () => {
    always(inputs({ pairs: [["BRL", "BRL"]] }), (input, price) => {
      deepStrictEqual(computePrice({ ...input, rateMicros: 5_513_582n }), price);
      return price.payerTotalMinor === price.grossMinor && price.receiverNetMinor === price.netMinor;
    });
  });
});
