import { dayAt } from "../../contract/day.ts";

/** What is known of a day of an account's statement. */
export interface ReadDay {
  readonly day: string;
  readonly isComplete: boolean;
  readonly readAt: Date | null;
}

/**
 * Returns the days that a reading reads, the oldest first: each that is over until it was read as a whole, and once more on
 * the day after that; today each time, if the provider states it.
 */
export function daysToRead(
  { firstDay, hasToday, nowMs }: { firstDay: string; hasToday: boolean; nowMs: number },
  known: readonly ReadDay[],
): string[] {
  const today = dayAt(nowMs);
  const byDay = new Map(known.map((one) => [one.day, one]));
  const days: string[] = [];
  for (let day = Temporal.PlainDate.from(firstDay); ; day = day.add({ days: 1 })) {
    const order = Temporal.PlainDate.compare(day, today);
    if (order > 0 || (order === 0 && !hasToday)) return days;
    const read = byDay.get(day.toString());
    if (!read?.isComplete || read.readAt === null || isDueAgain(day, read.readAt, today)) {
      days.push(day.toString());
    }
  }
}

/** Returns the last day before which no day is without its whole statement; null: not even the first has it. */
export function statedUntil(firstDay: string, known: readonly ReadDay[]): string | null {
  const complete = new Set(known.filter(({ isComplete }) => isComplete).map(({ day }) => day));
  let until: string | null = null;
  for (
    let day = Temporal.PlainDate.from(firstDay);
    complete.has(day.toString());
    day = day.add({ days: 1 })
  ) {
    until = day.toString();
  }
  return until;
}

function isDueAgain(day: Temporal.PlainDate, readAt: Date, today: Temporal.PlainDate): boolean {
  const again = day.add({ days: 2 });
  return (
    Temporal.PlainDate.compare(dayAt(readAt.getTime()), again) < 0 &&
    Temporal.PlainDate.compare(today, again) >= 0
  );
}
