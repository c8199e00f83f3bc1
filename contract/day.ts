/** The time zone of the Brazilian banking calendar: every day of the product begins and ends there. */
export const TIME_ZONE = "America/Sao_Paulo";

/** Returns the day in São Paulo at a Unix time in milliseconds. */
export function dayAt(unixMs: number): Temporal.PlainDate {
  return zonedAt(unixMs).toPlainDate();
}

/** Returns the time in São Paulo at a Unix time in milliseconds. */
export function zonedAt(unixMs: number): Temporal.ZonedDateTime {
  return Temporal.Instant.fromEpochMilliseconds(unixMs).toZonedDateTimeISO(TIME_ZONE);
}

/** Returns the start of a day in São Paulo, by the summer time of its year, as a Unix time in milliseconds. */
export function startOfDay(day: Temporal.PlainDate): number {
  return day.toZonedDateTime(TIME_ZONE).epochMilliseconds;
}

/** Returns days, given in order as YYYY-MM-DD, as a text: those that follow each other as a range. */
export function daysText(days: readonly string[], format: (day: string) => string = (day) => day): string {
  const ranges: string[][] = [];
  for (const day of days) {
    const range = ranges.at(-1);
    const next = Temporal.PlainDate.from(range?.at(-1) ?? day).add({ days: 1 });
    if (range && next.toString() === day) range.push(day);
    else ranges.push([day]);
  }
  return ranges
    .map(([first = "", ...others]) => [first, ...others.slice(-1)].map((day) => format(day)).join(" – "))
    .join(", ");
}
