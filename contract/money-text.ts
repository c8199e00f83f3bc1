import { decimalText, MINOR_DIGITS, RATE_DIGITS } from "./decimal.ts";
import type { Language } from "./messages.ts";

/** A dollar sign is never alone in these: "R$" and "US$". */
const LOCALES: Readonly<Record<Language, string>> = { "pt-BR": "pt-BR", en: "en-GB" };
const SYMBOLS: Readonly<Record<string, string>> = { BRL: "R$", USD: "US$" };
const EXACT_DIGITS = 8;
// A hyphen before an amount reads as a dash.
const MINUS = "−";

const formats = new Map<string, Intl.NumberFormat>();

/**
 * Returns an amount in minor units as people read it: "US$ 10,00" or "US$10.00", "−US$10.00" below 0. Throws RangeError for
 * other currencies.
 */
export function moneyText(language: Language, minor: bigint, currency: string): string {
  return signed(formatOf(language, currency, MINOR_DIGITS).format(decimalText(minor, MINOR_DIGITS)));
}

/** Returns an amount in whole units with all its digits, at least those of its cents. */
export function exactMoneyText(language: Language, value: string, currency: string): string {
  return signed(formatOf(language, currency, EXACT_DIGITS).format(value as Intl.StringNumericLiteral));
}

function signed(text: string): string {
  return text.replace("-", MINUS);
}

/** Returns the price of a US dollar in reais, in millionths, with all its digits: "R$ 5,432100" or "R$5.432100". */
export function rateText(language: Language, micros: bigint): string {
  return formatOf(language, "BRL", RATE_DIGITS, RATE_DIGITS).format(decimalText(micros, RATE_DIGITS));
}

/** Returns the sign of a currency, as amounts have it. */
export function currencySymbol(currency: string): string {
  const symbol = SYMBOLS[currency];
  if (symbol === undefined) throw new RangeError(`no way to write ${currency}`);
  return symbol;
}

/** Returns the format of amounts. It is made at its first use, which takes milliseconds. */
function formatOf(
  language: Language,
  currency: string,
  most: number,
  least = MINOR_DIGITS,
): Intl.NumberFormat {
  currencySymbol(currency);
  const key = `${language} ${currency} ${most} ${least}`;
  const known =
    formats.get(key) ??
    new Intl.NumberFormat(LOCALES[language], {
      style: "currency",
      currency,
      minimumFractionDigits: least,
      maximumFractionDigits: most,
    });
  formats.set(key, known);
  return known;
}
