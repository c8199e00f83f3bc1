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
  const shares = Array.from({ length: installments }, () => new Fraction(payerTotal, BigInt(installments)).floor());
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

const amounts = fc.oneof(upTo(300n, 1n), upTo(100_000n, 1n), upTo(MAX_AMOUNT, 1n), upTo(MAX_AMOUNT, MAX_AMOUNT - 3n));
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

const allPairs = [["BRL", "BRL"], ["BRL", "USD"], ["USD", "BRL"], ["USD", "USD"]] as const; // prettier-ignore

function inputs({ pairs = allPairs, feeHandling }: Limits = {}): fc.Arbitrary<PriceInput> {
  return fc
    .record({
      amountMinor: amounts,
      pair: fc.constantFrom(...pairs),
      method: fc.constantFrom<PaymentMethod>("pix", "ted", "card", "card"),
      cardInstallments: fc.integer({ min: 1, max: 21 }),
      feeHandling: fc.constantFrom<FeeHandling>(...(feeHandling ? [feeHandling] : (["absorb", "pass_through"] as const))),
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

function always(arbitrary: fc.Arbitrary<PriceInput>, holds: (input: PriceInput, price: Price) => boolean): void {
  fc.assert(
    fc.property(arbitrary, (input) => holds(input, computePrice(input))),
    { numRuns: 10_000 },
  );
}
