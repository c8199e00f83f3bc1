/** The rules of prices once more, straight from their description and without any of the service's code. */
export type Currency = "BRL" | "USD";
export type Method = "pix" | "card" | "ted";
export type FeeHandling = "absorb" | "pass_through";

export interface Rule {
  readonly percentPpm: bigint;
  readonly fixed: bigint;
  readonly min: bigint;
  readonly max: bigint | null;
  /** Of 1, 2, … installments; empty: none. */
  readonly surchargePpm: readonly bigint[];
  readonly defaultFeeHandling: FeeHandling;
}

export interface Iof {
  readonly ppm: bigint;
  readonly isEnabled: boolean;
}

/** What is priced, and how it is paid. */
export interface PriceQuestion {
  readonly amount: bigint;
  readonly currency: Currency;
  readonly payout: Currency;
  readonly method: Method;
  readonly installments: number;
  readonly feeHandling: FeeHandling;
  readonly rule: Rule;
  readonly iof: Iof;
  /** Null where nothing is converted. */
  readonly rateMicros: bigint | null;
}

export interface Price extends PriceQuestion {
  /** The currency of all fees. */
  readonly feeCurrency: Currency;
  readonly percent: bigint;
  readonly raw: bigint;
  readonly fee: bigint;
  readonly surcharge: bigint;
  readonly iofAmount: bigint;
  readonly isIofApplicable: boolean;
  readonly gross: bigint;
  readonly net: bigint;
  readonly payerTotal: bigint;
  readonly receiverNet: bigint;
}

const PPM = 1_000_000n;

export function feeCurrencyOf(currency: Currency, payout: Currency): Currency {
  return currency === "USD" && payout === "USD" ? "USD" : "BRL";
}

/** Converted is what is denominated or paid out in USD. */
export function isConverted(currency: Currency, payout: Currency): boolean {
  return currency === "USD" || payout === "USD";
}

export function publicRate(spotMicros: bigint, coveragePpm: bigint): bigint {
  return up(spotMicros * (PPM + coveragePpm), PPM);
}

/** The rate of a payment on a link of a quote: never under the quote's, at most 1 % over it. */
export function ratcheted(quoted: bigint, current: bigint | null): bigint {
  const cap = up(quoted * 101n, 100n);
  if (current === null || current < quoted) return quoted;
  return current > cap ? cap : current;
}

export function priceOf(question: PriceQuestion): Price {
  const { amount, currency, payout, installments, feeHandling, rule, iof, rateMicros } = question;
  const rate = rateMicros ?? 0n;
  const feeCurrency = feeCurrencyOf(currency, payout);
  const base = currency === "USD" && feeCurrency === "BRL" ? up(amount * rate, PPM) : amount;
  const surchargePpm = rule.surchargePpm[installments - 1] ?? 0n;
  const isIofApplicable = payout === "USD";
  const iofPpm = isIofApplicable && iof.isEnabled ? iof.ppm : 0n;
  const rawOf = (total: bigint): bigint => half(total, rule.percentPpm) + rule.fixed;
  const feeOf = (total: bigint): bigint => {
    const raised = rawOf(total) < rule.min ? rule.min : rawOf(total);
    return rule.max !== null && raised > rule.max ? rule.max : raised;
  };
  const surchargeOf = (total: bigint): bigint => half(total, surchargePpm);
  let gross = base;
  let net: bigint;
  let iofAmount: bigint;
  if (feeHandling === "absorb") {
    const left = gross - feeOf(gross) - surchargeOf(gross);
    net = down(left * PPM, PPM + iofPpm);
    iofAmount = left - net;
  } else {
    net = base;
    iofAmount = up(net * iofPpm, PPM);
    const wanted = net + iofAmount;
    // Fees grow with the total: from below, this comes to the smallest total that leaves what is wanted.
    gross = wanted;
    for (let next = -1n; next !== gross;) {
      next = gross;
      gross = wanted + feeOf(gross) + surchargeOf(gross);
    }
  }
  return {
    ...question,
    feeCurrency,
    percent: half(gross, rule.percentPpm),
    raw: rawOf(gross),
    fee: feeOf(gross),
    surcharge: surchargeOf(gross),
    iofAmount,
    isIofApplicable,
    gross,
    net,
    payerTotal: feeCurrency === "BRL" ? gross : up(gross * rate, PPM),
    receiverNet: payout === feeCurrency ? net : down(net * PPM, rate),
  };
}

function down(dividend: bigint, divisor: bigint): bigint {
  const quotient = dividend / divisor;
  return dividend % divisor !== 0n && dividend < 0n ? quotient - 1n : quotient;
}

function up(dividend: bigint, divisor: bigint): bigint {
  return -down(-dividend, divisor);
}

function half(amount: bigint, ppm: bigint): bigint {
  return down(2n * amount * ppm + PPM, 2n * PPM);
}
