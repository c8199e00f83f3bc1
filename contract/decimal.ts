/** Decimal places of an amount in BRL or USD. */
export const MINOR_DIGITS = 2;

/** Decimal places of a rate, which counts in millionths. */
export const RATE_DIGITS = 6;

/**
 * Returns an integer of the smallest unit as an exact decimal: 1234 with 2 digits as "12.34". It cuts the text and
 * divides nothing.
 */
export function decimalText(value: bigint | number, digits: number): Intl.StringNumericLiteral {
  const sign = value < 0 ? "-" : "";
  const text = String(value < 0 ? -value : value).padStart(digits + 1, "0");
  return `${sign}${text.slice(0, -digits)}.${text.slice(-digits)}` as Intl.StringNumericLiteral;
}
