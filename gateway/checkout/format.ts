import type { Timestamp } from "@bufbuild/protobuf/wkt";
import { timestampDate } from "@bufbuild/protobuf/wkt";
import type { Language } from "./words.ts";

const MINOR_DIGITS = 2;
const RATE_DIGITS = 6;

/** Writes amounts and times as a language has them. Amounts come from integers and stay exact. */
export class Format {
  readonly #language: Language;

  constructor(language: Language) {
    this.#language = language;
  }

  money(minor: bigint, currency: string): string {
    // Intl takes a decimal text as it is, without a binary float between.
    return new Intl.NumberFormat(this.#language, { style: "currency", currency }).format(
      decimal(minor, MINOR_DIGITS) as Intl.StringNumericLiteral,
    );
  }

  rate(micros: bigint): string {
    const digits = { minimumFractionDigits: RATE_DIGITS };
    return new Intl.NumberFormat(this.#language, digits).format(
      decimal(micros, RATE_DIGITS) as Intl.StringNumericLiteral,
    );
  }

  /** In São Paulo, with the zone's name. */
  time(stamp: Timestamp): string {
    return new Intl.DateTimeFormat(this.#language, {
      dateStyle: "short",
      timeStyle: "long",
      timeZone: "America/Sao_Paulo",
    }).format(timestampDate(stamp));
  }
}

function decimal(value: bigint, digits: number): string {
  const sign = value < 0n ? "-" : "";
  const text = (value < 0n ? -value : value).toString().padStart(digits + 1, "0");
  return `${sign}${text.slice(0, -digits)}.${text.slice(-digits)}`;
}
