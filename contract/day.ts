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
