import type { Timestamp } from "@bufbuild/protobuf/wkt";
import { timestampDate } from "@bufbuild/protobuf/wkt";
import { decimalText, MINOR_DIGITS, RATE_DIGITS } from "../../contract/decimal.ts";
import { TIME_ZONE } from "../../contract/day.ts";
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
  readonly #currencies: Readonly<Record<string, Intl.NumberFormat>>;
  readonly #rate: Intl.NumberFormat;
  readonly #change: Intl.NumberFormat;
  readonly #time: Intl.DateTimeFormat;
  readonly #shortTime: Intl.DateTimeFormat;
  readonly #day: Intl.DateTimeFormat;

  constructor(language: Language) {
    const currency = (code: string): Intl.NumberFormat =>
      new Intl.NumberFormat(language, { style: "currency", currency: code });
    this.#currencies = { BRL: currency("BRL"), USD: currency("USD") };
    this.#rate = new Intl.NumberFormat(language, { minimumFractionDigits: RATE_DIGITS });
    this.#change = new Intl.NumberFormat(language, {
      style: "percent",
      minimumFractionDigits: 1,
      maximumFractionDigits: 1,
      signDisplay: "exceptZero",
    });
    // In São Paulo, with the time zone's name.
    this.#time = new Intl.DateTimeFormat(language, {
      dateStyle: "short",
      timeStyle: "long",
      timeZone: TIME_ZONE,
    });
    this.#shortTime = new Intl.DateTimeFormat(language, {
      year: "numeric",
      month: "short",
      day: "numeric",
      hour: "2-digit",
      minute: "2-digit",
      hourCycle: "h23",
      timeZone: TIME_ZONE,
    });
    this.#day = new Intl.DateTimeFormat(language, {
      weekday: "short",
      day: "2-digit",
      month: "2-digit",
      timeZone: "UTC",
    });
  }

  money(minor: bigint, currency: string): string {
    const format = this.#currencies[currency];
    if (!format) throw new RangeError(`no way to write ${currency}`);
    return format.format(decimalText(minor, MINOR_DIGITS));
  }

  rate(micros: bigint): string {
    return this.#rate.format(decimalText(micros, RATE_DIGITS));
  }

  /** Returns a change with its sign, rounded to a tenth of a percent. One that rounds to zero has none. */
  change(ppm: bigint): string {
    return this.#change.format(decimalText(ppm, PPM_DIGITS));
  }

  /** Returns a day of the calendar, given as YYYY-MM-DD, in the language's format. */
  day(day: string): string {
    const date = new Date(`${day}T00:00:00Z`);
    return Number.isNaN(date.getTime()) ? day : this.#day.format(date);
  }

  time(stamp: Timestamp): string {
    return this.#time.format(timestampDate(stamp));
  }

  /** Returns a time in few characters, "21 nov, 17:31", with its year if that is not the year of `now`. */
  shortTime(stamp: Timestamp, now = new Date()): string {
    const parts = (date: Date) =>
      Object.fromEntries(this.#shortTime.formatToParts(date).map(({ type, value }) => [type, value]));
    const { day, month = "", year, hour, minute } = parts(timestampDate(stamp));
    const date = [day, month.replace(".", ""), ...(year === parts(now)["year"] ? [] : [year])];
    return `${date.join(" ")}, ${hour}:${minute}`;
  }
}
