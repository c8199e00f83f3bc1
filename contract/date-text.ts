import { dayAt, zonedAt } from "./day.ts";
import type { Language } from "./messages.ts";

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** In place of the present time: no day is of this year, so that each has its year. */
export const WITH_YEAR = 0;

/** Returns a time in São Paulo as people read it: "29/11 às 9h04" or "29 Nov 2026, 09:04". */
export function timeText(language: Language, unixMs: number, nowMs = Date.now()): string {
  const { hour, minute } = zonedAt(unixMs);
  const day = dayText(language, dayAt(unixMs).toString(), nowMs);
  return language === "en"
    ? `${day}, ${twoDigits(hour)}:${twoDigits(minute)}`
    : `${day} às ${hour}h${twoDigits(minute)}`;
}

/**
 * Returns a day, given as YYYY-MM-DD, as people read it: "29 Nov 2026", or "29/11" with the year unless it is the present
 * one in São Paulo.
 */
export function dayText(language: Language, day: string, nowMs = Date.now()): string {
  const { day: number, month, year } = Temporal.PlainDate.from(day);
  if (language === "en") return `${number} ${MONTHS[month - 1]} ${year}`;
  const short = `${twoDigits(number)}/${twoDigits(month)}`;
  return year === dayAt(nowMs).year ? short : `${short}/${year}`;
}

/** Returns the month of a day in words: "novembro de 2026" or "November 2026". */
export function monthText(language: Language, day: Temporal.PlainDate): string {
  return day.toLocaleString(language, { month: "long", year: "numeric" });
}

function twoDigits(number: number): string {
  return String(number).padStart(2, "0");
}
