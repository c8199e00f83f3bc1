import type { Timestamp } from "@bufbuild/protobuf/wkt";
import { timestampMs } from "@bufbuild/protobuf/wkt";
import { dayText, monthText, timeText, WITH_YEAR } from "../../contract/date-text.ts";
import { decimalText } from "../../contract/decimal.ts";
import { exactMoneyText, moneyText, rateText } from "../../contract/money-text.ts";
import type { Language } from "./language.ts";

const PPM_DIGITS = 6;

const formats = new Map<Language, Format>();

/** Returns the one of a language. It is made at its first use, which takes tens of milliseconds. */
export function formatOf(language: Language): Format {
  const known = formats.get(language) ?? new Format(language);
  formats.set(language, known);
  return known;
}

/** Formats amounts and times in a language. Amounts come from integers and stay exact. */
export class Format {
  readonly #language: Language;
  readonly #change: Intl.NumberFormat;

  constructor(language: Language) {
    this.#language = language;
    this.#change = new Intl.NumberFormat(language, {
      style: "percent",
      minimumFractionDigits: 1,
      maximumFractionDigits: 1,
      signDisplay: "exceptZero",
    });
  }

  money(minor: bigint, currency: string): string {
    return moneyText(this.#language, minor, currency);
  }

  /** Returns an amount in whole units, such as "1.2345", with all its digits. */
  exactMoney(value: string, currency: string): string {
    return exactMoneyText(this.#language, value, currency);
  }

  /** Returns the price of a US dollar in reais. */
  rate(micros: bigint): string {
    return rateText(this.#language, micros);
  }

  /** Returns a change with its sign, rounded to a tenth of a percent. One that rounds to zero has none. */
  change(ppm: bigint): string {
    return this.#change.format(decimalText(ppm, PPM_DIGITS));
  }

  /** Returns a day of the calendar, given as YYYY-MM-DD. */
  day(day: string): string {
    return dayText(this.#language, day);
  }

  month(day: Temporal.PlainDate): string {
    return monthText(this.#language, day);
  }

  /** Returns a time in São Paulo. */
  time(stamp: Timestamp): string {
    return timeText(this.#language, timestampMs(stamp));
  }

  /** Returns a time in São Paulo, always with its year, for what is read in other years too. */
  timeWithYear(stamp: Timestamp): string {
    return timeText(this.#language, timestampMs(stamp), WITH_YEAR);
  }
}
