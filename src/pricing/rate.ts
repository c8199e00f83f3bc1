import { Decimal } from "decimal.js";
import { ceilDiv, PPM } from "./rounding.ts";

/** Micros in a rate of one BRL per USD. */
export const MICROS = 1_000_000n;

const RATCHET_CAP_PERCENT = 101n;

// Twelve digits before the point keep any rate in micros within a 64-bit column.
const RATE_TEXT = /^(0|[1-9]\d{0,11})(\.\d{1,6})?$/;
const RateDecimal = Decimal.clone({ precision: 40 });

/**
 * Returns the public rate, the only one ever shown: spot plus the coverage margin, in micros of BRL per USD, rounded
 * up.
 */
export function publicRateMicros(spotMicros: bigint, coveragePpm: bigint): bigint {
  return ceilDiv(spotMicros * (PPM + coveragePpm), PPM);
}

/**
 * Returns a checkout session's rate: the current public rate, never below the quote's and at most 1 % above it. Without
 * a current rate, it is the quote's.
 */
export function ratchetRateMicros(quoteRateMicros: bigint, currentRateMicros: bigint | null): bigint {
  if (currentRateMicros === null || currentRateMicros <= quoteRateMicros) return quoteRateMicros;
  const capMicros = ceilDiv(quoteRateMicros * RATCHET_CAP_PERCENT, 100n);
  return currentRateMicros < capMicros ? currentRateMicros : capMicros;
}

/** Parses a positive rate such as "5.4321", with at most six decimals. Throws RangeError on any other text. */
export function parseRateMicros(text: string): bigint {
  if (!RATE_TEXT.test(text)) throw new RangeError("a rate is a plain decimal with at most 6 decimals");
  const rateMicros = BigInt(new RateDecimal(text).times(MICROS).toFixed(0));
  if (rateMicros === 0n) throw new RangeError("a rate is greater than zero");
  return rateMicros;
}

/** Returns the rate as decimal text with exactly six decimals. */
export function formatMicros(rateMicros: bigint): string {
  return new RateDecimal(rateMicros).div(MICROS).toFixed(6);
}
