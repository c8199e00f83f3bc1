// No merchant needs longer numbers, and comparing two takes time that grows with their length.
const CHARACTERS_MAX = 400;
const PARTS = /^-?(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

/**
 * Returns the double of a JSON number, or undefined if it would change the value or the text exceeds 400 characters. It
 * is exact if its shortest decimal has the written value: 1.50, 1e20 and 0.1 are accepted, 12345678901234567890, 1e-400
 * and 1e400 are not.
 */
export function exactNumber(text: string): number | undefined {
  if (text.length > CHARACTERS_MAX) return undefined;
  const number = Number(text);
  if (!Number.isFinite(number)) return undefined;
  const shortest = String(number);
  // Most numbers are written so.
  if (text === shortest) return number;
  return decimalOf(text) === decimalOf(shortest) ? number : undefined;
}

/** Returns the absolute value in one notation: digits without outer zeros, and the power of ten of the last digit. */
function decimalOf(text: string): string {
  const [, whole = "", fraction = "", exponent = "0"] = PARTS.exec(text) ?? [];
  const digits = `${whole}${fraction}`.replace(/^0+/, "");
  const significant = digits.replace(/0+$/, "");
  if (significant === "") return "0";
  const power = BigInt(exponent) - BigInt(fraction.length) + BigInt(digits.length - significant.length);
  return `${significant}e${power}`;
}
