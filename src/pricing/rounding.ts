/** 100 % in ppm, the unit of percentages and margins. */
export const PPM = 1_000_000n;

/** Returns `ceil(dividend / divisor)`. The dividend is not negative, and the divisor is positive. */
export function ceilDiv(dividend: bigint, divisor: bigint): bigint {
  return (dividend + divisor - 1n) / divisor;
}

/**
 * Returns `floor(dividend / divisor)` for a positive divisor. A plain bigint division would round a negative net up.
 */
export function floorDiv(dividend: bigint, divisor: bigint): bigint {
  const quotient = dividend / divisor;
  return dividend < 0n && quotient * divisor !== dividend ? quotient - 1n : quotient;
}

/** Returns the share `ppm` of an amount that is not negative, in its minor units, with half a unit rounded up. */
export function shareOf(amountMinor: bigint, ppm: bigint): bigint {
  return (2n * amountMinor * ppm + PPM) / (2n * PPM);
}
