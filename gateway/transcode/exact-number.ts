// No number of a merchant's is longer, and to compare two takes time that grows with them.
const CHARACTERS_MAX = 400;
const PARTS = /^-?(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

/**
 * The double of a JSON number, if its shortest decimal has the very value that was written: 1.50, 1e20 and 0.1 are taken,
 * 12345678901234567890, 1e-400 and 1e400 are not. Undefined where it would be another value, and past 400 characters.
 */
export function exactNumber(text: string): number | undefined {
  if (text.length > CHARACTERS_MAX) return undefined;
  const number = Number(text);
  if (!Number.isFinite(number)) return undefined;
  return decimalOf(text) === decimalOf(String(number)) ? number : undefined;
}

/** The value without its sign, in one spelling: digits without a zero at either end, and the power of ten of the last. */
function decimalOf(text: string): string {
  const [, whole = "", fraction = "", exponent = "0"] = PARTS.exec(text) ?? [];
  const digits = `${whole}${fraction}`.replace(/^0+/, "");
  const significant = digits.replace(/0+$/, "");
  if (significant === "") return "0";
  const power = BigInt(exponent) - BigInt(fraction.length) + BigInt(digits.length - significant.length);
  return `${significant}e${power}`;
}
