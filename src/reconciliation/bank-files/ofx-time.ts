import { dayAt } from "../../../contract/day.ts";
import { dayIn } from "./file-day.ts";

const TIME = /^(\d{4})(\d{2})(\d{2})(?:(\d{2})(\d{2})(?:(\d{2})(?:\.\d{1,6})?)?)?\s*(?:\[([^\]]{0,40})\])?$/;
const ZONE = /^([+-]?\d{1,2}(?:\.\d{1,2})?)(?::.*)?$/;
const ZONE_HOURS_MAX = 14;
const HOUR_MS = 3_600_000;

/** Reads the times of OFX. Files repeat few, and a zone's rules cost most of a line. */
export class OfxTimes {
  readonly #days = new Map<string, string | null>();

  /**
   * Returns the day in São Paulo, as YYYY-MM-DD, of a text such as 20261104020000[0:GMT], or null for any other text. A
   * time without a zone is of São Paulo, and so is a day without a time.
   */
  dayOf(text: string): string | null {
    const known = this.#days.get(text);
    if (known !== undefined) return known;
    const day = readDay(text);
    this.#days.set(text, day);
    return day;
  }
}

function readDay(text: string): string | null {
  const [, year = "", month = "", dayOfMonth = "", hour, minute = "", second = "0", zone] =
    TIME.exec(text) ?? [];
  const day = dayIn(year, month, dayOfMonth);
  if (day === null) return null;
  if (Number(hour ?? 0) > 23 || Number(minute) > 59 || Number(second) > 59) return null;
  if (zone === undefined) return day;
  const hours = Number(ZONE.exec(zone)?.[1] ?? Number.NaN);
  if (!(Math.abs(hours) <= ZONE_HOURS_MAX)) return null;
  if (hour === undefined) return day;
  const localMs = Date.UTC(
    Number(year),
    Number(month) - 1,
    Number(dayOfMonth),
    Number(hour),
    Number(minute),
    Number(second),
  );
  return dayAt(localMs - hours * HOUR_MS).toString();
}
