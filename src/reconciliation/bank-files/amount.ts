import { MINOR_DIGITS } from "../../../contract/decimal.ts";

/** The mark before the decimals of an amount. */
export type Decimal = "," | ".";

const FORMS: Readonly<Record<Decimal, RegExp>> = {
  ",": /^(\d{1,3}(?:\.\d{3})+|\d+)(?:,(\d{1,2}))?$/,
  ".": /^(\d{1,3}(?:,\d{3})+|\d+)(?:\.(\d{1,2}))?$/,
};
// 1.234 may be thousands or three decimals.
const AMBIGUOUS = /^\d{1,3}[.,]\d{3}$/;
const SIGNED = /^([+-]?)\s*(?:R\$\s*)?([+-]?)([\d.,]+)\s*([-+CD]?)$/i;
const LENGTH_MAX = 40;
const WHOLE_DIGITS_MAX = 16;
// What Excel keeps and shows of a number.
const WORKBOOK_DIGITS = 15;

/**
 * Returns an amount in minor units, or null if the text is none. It may have one sign before or after it, C or D after
 * it, and R$ before it. Without a known decimal mark, a text that has two readings is none.
 */
export function amountIn(text: string, decimal: Decimal | null): bigint | null {
  const trimmed = text.trim().replace("\u2212", "-");
  if (trimmed.length > LENGTH_MAX) return null;
  const [, first = "", second = "", digits, last = ""] = SIGNED.exec(trimmed) ?? [];
  if (digits === undefined) return null;
  const magnitude = magnitudeOf(digits, decimal);
  const sign = signOf(first + second, last.toUpperCase());
  return magnitude === null || sign === null ? null : sign * magnitude;
}

/** Returns a number of a workbook in minor units, or null if Excel shows more decimals than an amount has. */
export function amountOfNumber(number: number): bigint | null {
  if (!Number.isFinite(number)) return null;
  const text = Number(number.toPrecision(WORKBOOK_DIGITS)).toString();
  return amountIn(text, ".");
}

function magnitudeOf(digits: string, decimal: Decimal | null): bigint | null {
  if (decimal === null && AMBIGUOUS.test(digits)) return null;
  const forms = decimal === null ? [FORMS["."], FORMS[","]] : [FORMS[decimal]];
  for (const form of forms) {
    const [, grouped, decimals = ""] = form.exec(digits) ?? [];
    const whole = grouped?.replaceAll(/[.,]/g, "");
    if (whole !== undefined && whole.length <= WHOLE_DIGITS_MAX)
      return BigInt(whole + decimals.padEnd(MINOR_DIGITS, "0"));
  }
  return null;
}

/** Returns 1 or -1, or null if signs contradict or repeat each other. D says what a minus does. */
function signOf(before: string, after: string): 1n | -1n | null {
  if (after === "C") return before === "" || before === "+" ? 1n : null;
  if (after === "D") return before === "" || before === "-" ? -1n : null;
  const signs = before + after;
  if (signs.length > 1) return null;
  return signs === "-" ? -1n : 1n;
}
