const [YEAR_FIRST, YEAR_LAST] = [1900, 2999];
const DAY_MS = 86_400_000;
// Day 0 of a workbook; its days before March 1900 are one off.
const [WORKBOOK_EPOCH_MS, WORKBOOK_FIRST, WORKBOOK_LAST] = [Date.UTC(1899, 11, 30), 61, 401_768];

/** Returns a day as YYYY-MM-DD, or null if the calendar has none such from 1900 to 2999. */
export function dayIn(yearText: string, monthText: string, dayText: string): string | null {
  const [year, month, day] = [Number(yearText), Number(monthText), Number(dayText)];
  if (!(year >= YEAR_FIRST && year <= YEAR_LAST)) return null;
  const date = new Date(Date.UTC(year, month - 1, day));
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return null;
  return `${year}-${String(month).padStart(2, "0")}-${String(day).padStart(2, "0")}`;
}

/** The ways to write a day that a mapping may name, each with the order of its parts. A year of two digits is of 2000. */
const FORMATS = {
  "DD/MM/YYYY": { pattern: /^(\d{1,2})\/(\d{1,2})\/(\d{4})$/, order: "dmy" },
  "DD/MM/YY": { pattern: /^(\d{1,2})\/(\d{1,2})\/(\d{2})$/, order: "dmy" },
  "DD-MM-YYYY": { pattern: /^(\d{1,2})-(\d{1,2})-(\d{4})$/, order: "dmy" },
  "DD.MM.YYYY": { pattern: /^(\d{1,2})\.(\d{1,2})\.(\d{4})$/, order: "dmy" },
  "MM/DD/YYYY": { pattern: /^(\d{1,2})\/(\d{1,2})\/(\d{4})$/, order: "mdy" },
  "YYYY-MM-DD": { pattern: /^(\d{4})-(\d{1,2})-(\d{1,2})$/, order: "ymd" },
  "YYYY/MM/DD": { pattern: /^(\d{4})\/(\d{1,2})\/(\d{1,2})$/, order: "ymd" },
  YYYYMMDD: { pattern: /^(\d{4})(\d{2})(\d{2})$/, order: "ymd" },
} as const;
export type DateFormat = keyof typeof FORMATS;
export const DATE_FORMATS = Object.keys(FORMATS) as readonly DateFormat[];
const TIME = /[ T]\d{1,2}:\d{2}(?::\d{2}(?:[.,]\d{1,6})?)?$/;
const LENGTH_MAX = 40;

/** Returns the day that a text has in a format, as YYYY-MM-DD, or null for any other text. A time after it is left out. */
export function dayOfText(text: string, format: DateFormat): string | null {
  if (text.length > LENGTH_MAX) return null;
  const { pattern, order } = FORMATS[format];
  const parts = pattern.exec(text.trim().replace(TIME, ""))?.slice(1);
  if (!parts) return null;
  const [year = "", month = "", day = ""] = ["y", "m", "d"].map((part) => parts[order.indexOf(part)] ?? "");
  return dayIn(year.length === 2 ? `20${year}` : year, month, day);
}

/** Returns the day that a workbook counts as a number of days, as YYYY-MM-DD, or null if it is none from March 1900 on. */
export function dayOfNumber(number: number): string | null {
  if (!(number >= WORKBOOK_FIRST && number < WORKBOOK_LAST)) return null;
  return new Date(WORKBOOK_EPOCH_MS + Math.floor(number) * DAY_MS).toISOString().slice(0, 10);
}
