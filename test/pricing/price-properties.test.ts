import { deepStrictEqual } from "node:assert/strict";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Currency, FeeHandling, FeeRule, PaymentMethod } from "../../src/pricing/fee-rule.ts";
import { feeRuleProblem, needsConversion } from "../../src/pricing/fee-rule.ts";
import type { Price, PriceInput } from "../../src/pricing/price.ts";
import { computePrice, isNetPositive } from "../../src/pricing/price.ts";

// The reference: the pricing page read literally, in exact fractions.

class Fraction {
  readonly top: bigint;
  readonly bottom: bigint;
  constructor(top: bigint, bottom = 1n) {
    this.top = top;
    this.bottom = bottom;
  }
  plus(other: Fraction): Fraction {
    return new Fraction(this.top * other.bottom + other.top * this.bottom, this.bottom * other.bottom);
  }
  minus(other: Fraction): Fraction {
    return this.plus(new Fraction(-other.top, other.bottom));
  }
  times(other: Fraction): Fraction {
    return new Fraction(this.top * other.top, this.bottom * other.bottom);
  }
  over(other: Fraction): Fraction {
    return this.times(new Fraction(other.bottom, other.top));
  }
  below(other: Fraction): boolean {
    return this.top * other.bottom < other.top * this.bottom;
  }
  floor(): bigint {
    const rest = ((this.top % this.bottom) + this.bottom) % this.bottom;
    return (this.top - rest) / this.bottom;
  }
  ceil(): bigint {
    return -new Fraction(-this.top, this.bottom).floor();
  }
  halfUp(): bigint {
    return this.plus(new Fraction(1n, 2n)).floor();
  }
}

const whole = (value: bigint) => new Fraction(value);
const millionths = (value: bigint) => new Fraction(value, 1_000_000n);
const least = (a: Fraction, b: Fraction) => (a.below(b) ? a : b);
const most = (a: Fraction, b: Fraction) => (a.below(b) ? b : a);

function clamp(rule: FeeRule, raw: Fraction): Fraction {
  const raised = most(raw, whole(rule.minMinor));
  return rule.maxMinor === null ? raised : least(raised, whole(rule.maxMinor));
}

function roundedFees(rule: FeeRule, s: bigint, gross: bigint) {
  const pct = whole(gross).times(millionths(rule.percentPpm)).halfUp();
  const raw = pct + rule.fixedMinor;
  const final = clamp(rule, whole(raw)).floor();
  const surcharge = whole(gross).times(millionths(s)).halfUp();
  return { pct, raw, final, surcharge, left: gross - final - surcharge };
}

function leftUnrounded(rule: FeeRule, s: bigint, gross: bigint): Fraction {
  const T = whole(gross);
  const fee = clamp(rule, T.times(millionths(rule.percentPpm)).plus(whole(rule.fixedMinor)));
  return T.minus(fee).minus(T.times(millionths(s)));
}

/** Unrounded, what is left strictly grows and is within 1 of the rounded: bisect to 2 below, then walk every cent. */
function smallestGross(rule: FeeRule, s: bigint, target: bigint): bigint {
  let low = 0n;
  let high = 2n * (target + rule.fixedMinor + rule.minMinor) + 10n;
  while (high - low > 1n) {
    const middle = (low + high) / 2n;
    if (leftUnrounded(rule, s, middle).below(whole(target - 2n))) low = middle;
    else high = middle;
  }
  while (roundedFees(rule, s, low).left !== target) low += 1n;
  return low;
}

function referencePrice(input: PriceInput): Price {
  const { amountMinor, currency, payoutCurrency, feeHandling, rule, installments, iof } = input;
  const P: Currency = currency === "USD" && payoutCurrency === "USD" ? "USD" : "BRL";
  const rate = millionths(input.rateMicros ?? 0n);
  const base = currency === "USD" && P === "BRL" ? whole(amountMinor).times(rate).ceil() : amountMinor;
  const i = payoutCurrency === "USD" && iof.enabled ? millionths(iof.ppm) : whole(0n);
  const s = rule.surchargePpm[installments - 1] ?? 0n;
  const passThrough = feeHandling === "pass_through";
  const T = passThrough ? smallestGross(rule, s, base + whole(base).times(i).ceil()) : base;
  const fees = roundedFees(rule, s, T);
  const N = passThrough ? base : whole(fees.left).over(whole(1n).plus(i)).floor();
  const I = passThrough ? whole(N).times(i).ceil() : fees.left - N;
  const payerTotal = P === "BRL" ? T : whole(T).times(rate).ceil();
  const shares = Array.from({ length: installments }, () =>
    new Fraction(payerTotal, BigInt(installments)).floor(),
  );
  const rest = payerTotal - shares.reduce((sum, share) => sum + share, 0n);
  return {
    pricingCurrency: P,
    baseMinor: base,
    grossMinor: T,
    netMinor: N,
    percentAmountMinor: fees.pct,
    fixedMinor: rule.fixedMinor,
    rawTotalMinor: fees.raw,
    serviceFeeMinor: fees.final,
    minApplied: fees.raw < rule.minMinor,
    maxApplied: rule.maxMinor !== null && fees.raw > rule.maxMinor,
    installmentSurchargeMinor: fees.surcharge,
    iofAmountMinor: I,
    iofApplicable: payoutCurrency === "USD",
    iofEnabled: iof.enabled,
    totalFeeMinor: fees.final + fees.surcharge + I,
    payerTotalMinor: payerTotal,
    payerCurrency: "BRL",
    receiverNetMinor: payoutCurrency === P ? N : whole(N).over(rate).floor(),
    receiverCurrency: payoutCurrency,
    firstInstallmentMinor: (shares[0] ?? 0n) + rest,
    otherInstallmentMinor: shares[0] ?? 0n,
  };
}

// The inputs: every currency pair, method and installment count, with rules drawn to their edges.

const MAX_AMOUNT = 999_999_999_999n;
const upTo = (max: bigint, min = 0n) => fc.bigInt({ min, max });

const amounts = fc.oneof(
  upTo(300n, 1n),
  upTo(100_000n, 1n),
  upTo(MAX_AMOUNT, 1n),
  upTo(MAX_AMOUNT, MAX_AMOUNT - 3n),
);
const smallOrHuge = fc.oneof(fc.constant(0n), upTo(50n), upTo(20_000n), upTo(MAX_AMOUNT));
const totalPpms = fc.oneof(fc.constant(500_000n), upTo(500_000n), upTo(60_000n));
const offsets = upTo(2n, -2n);

interface RuleSeed {
  totalPpm: bigint;
  percentPpm: bigint;
  fixedMinor: bigint;
  minMinor: bigint;
  maxRoomMinor: bigint | null;
  /** Puts the minimum or the maximum where the raw fee of the amount lies. */
  edge: "min" | "max" | "none";
  offset: bigint;
}

const ruleSeeds: fc.Arbitrary<RuleSeed> = fc.record({
  totalPpm: totalPpms,
  percentPpm: upTo(500_000n),
  fixedMinor: smallOrHuge,
  minMinor: smallOrHuge,
  maxRoomMinor: fc.option(smallOrHuge, { nil: null }),
  edge: fc.constantFrom("min", "max", "none"),
  offset: offsets,
});

function buildRule(seed: RuleSeed, aroundMinor: bigint, installments: number, entries: number): FeeRule {
  const { totalPpm, fixedMinor, edge, maxRoomMinor } = seed;
  const single = installments === 1;
  const percentPpm = single || seed.percentPpm > totalPpm ? totalPpm : seed.percentPpm;
  const surchargePpm = Array.from({ length: entries }, (_, index) =>
    index > 0 && index === installments - 1 ? totalPpm - percentPpm : 0n,
  );
  const rawMinor = (aroundMinor * percentPpm) / 1_000_000n + fixedMinor + seed.offset;
  const edgeMinor = rawMinor < 0n ? 0n : rawMinor;
  if (edge === "max") {
    const minMinor = seed.minMinor < edgeMinor ? seed.minMinor : edgeMinor;
    return { percentPpm, fixedMinor, minMinor, maxMinor: edgeMinor, surchargePpm };
  }
  const minMinor = edge === "min" ? edgeMinor : seed.minMinor;
  const maxMinor = maxRoomMinor === null ? null : minMinor + maxRoomMinor;
  return { percentPpm, fixedMinor, minMinor, maxMinor, surchargePpm };
}

interface Limits {
  pairs?: readonly (readonly [Currency, Currency])[];
  feeHandling?: FeeHandling;
}

const allPairs = [
  ["BRL", "BRL"],
  ["BRL", "USD"],
  ["USD", "BRL"],
  ["USD", "USD"],
] as const;

function inputs({ pairs = allPairs, feeHandling }: Limits = {}): fc.Arbitrary<PriceInput> {
  return fc
    .record({
      amountMinor: amounts,
      pair: fc.constantFrom(...pairs),
      method: fc.constantFrom<PaymentMethod>("pix", "ted", "card", "card"),
      cardInstallments: fc.integer({ min: 1, max: 21 }),
      feeHandling: fc.constantFrom<FeeHandling>(
        ...(feeHandling ? [feeHandling] : (["absorb", "pass_through"] as const)),
      ),
      seed: ruleSeeds,
      rateMicros: fc.oneof(upTo(6_500_000n, 4_500_000n), upTo(100n, 1n), upTo(1_000_000_000n, 1n)),
      iof: fc.record({ ppm: fc.oneof(fc.constant(35_000n), upTo(1_000_000n)), enabled: fc.boolean() }),
    })
    .map(({ pair: [currency, payoutCurrency], cardInstallments, seed, rateMicros, ...rest }) => {
      const installments = rest.method === "card" ? cardInstallments : 1;
      const rule = buildRule(seed, rest.amountMinor, installments, installments);
      return {
        ...rest,
        currency,
        payoutCurrency,
        installments,
        rule,
        rateMicros: needsConversion(currency, payoutCurrency) ? rateMicros : null,
      };
    });
}

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
