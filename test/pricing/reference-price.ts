import type { Currency, FeeRule } from "../../src/pricing/fee-rule.ts";
import type { Price, PriceInput } from "../../src/pricing/price.ts";

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

/** The pricing page read literally, in exact fractions. */
export function referencePrice(input: PriceInput): Price {
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
