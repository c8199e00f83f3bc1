import type { Language } from "../../pages/language.ts";

export type MoneyTextProblem = "missing" | "malformed" | "ambiguous" | "too_large";

const WHOLE_DIGITS_MAX = 15;
const SYMBOLS: Readonly<Record<string, RegExp>> = {
  BRL: /^(?:R\$|BRL)\s*/i,
  USD: /^(?:US\$|\$|USD)\s*/i,
};
// The thousands separator of a language. The other sign separates cents.
const GROUP: Readonly<Record<Language, string>> = { "pt-BR": ".", en: "," };
// A group of thousands never begins with 0: "0.500" is not 500.
const GROUPED = /^[1-9]\d{0,2}([.,])\d{3}(?:\1\d{3})*$/;

/**
 * Returns an amount in the currency's smallest unit: 159,90 and 159.90 are the same. It is exact. Ambiguous text is
 * refused, such as 1.234 where a point separates cents.
 */
export function minorOf(text: string, currency: string, language: Language): bigint | MoneyTextProblem {
  const typed = text.replaceAll(/[\u00A0\u202F]/g, " ").trim();
  if (typed === "") return "missing";
  const digits = typed.replace(SYMBOLS[currency] ?? "", "");
  if (!/^\d[\d.,]*$/.test(digits)) return "malformed";
  const parts = partsOf(digits, language);
  if (typeof parts === "string") return parts;
  const { whole, cents } = parts;
  return whole.length > WHOLE_DIGITS_MAX ? "too_large" : BigInt(whole) * 100n + BigInt(cents.padEnd(2, "0"));
}

interface Parts {
  readonly whole: string;
  readonly cents: string;
}

function partsOf(digits: string, language: Language): Parts | MoneyTextProblem {
  const separators = digits.match(/[.,]/g) ?? [];
  const last = separators.at(-1);
  if (last === undefined) return { whole: digits, cents: "" };
  const at = digits.lastIndexOf(last);
  const [head, tail] = [digits.slice(0, at), digits.slice(at + 1)];
  const isOnce = separators.filter((separator) => separator === last).length === 1;
  if (isOnce && (tail.length === 1 || tail.length === 2)) {
    // Digits stand before the cents, or groups of thousands with the other sign.
    const isWhole = /^\d+$/.test(head) || GROUPED.test(head);
    return isWhole ? { whole: withoutSeparators(head), cents: tail } : "malformed";
  }
  if (!GROUPED.test(digits)) return "malformed";
  // 1.234.567 has one reading only. 1.234 depends on the language.
  if (isOnce && last !== GROUP[language]) return "ambiguous";
  return { whole: withoutSeparators(digits), cents: "" };
}

function withoutSeparators(text: string): string {
  return text.replaceAll(/[.,]/g, "");
}
