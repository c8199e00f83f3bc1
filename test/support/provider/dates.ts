import Holidays from "date-holidays";
import { TIME_ZONE } from "../../../contract/day.ts";

// Made once: each costs more than a hundred dates written with it.
const DAYS = new Intl.DateTimeFormat("en-CA", { timeZone: TIME_ZONE });
const TIMES = new Intl.DateTimeFormat("en-GB", { timeZone: TIME_ZONE, timeStyle: "medium" });
const holidays = new Holidays("BR");
const closedDays = new Map<string, boolean>();

/** Returns the day in São Paulo: 2026-07-14. */
export function dayOf(at: Date): string {
  return DAYS.format(at);
}

/** Returns the time in São Paulo, without its zone: 2026-07-14 06:46:05. */
export function stampOf(at: Date): string {
  return `${dayOf(at)} ${TIMES.format(at)}`;
}

export function plusDays(day: string, days: number): string {
  return new Date(Date.parse(`${day}T12:00:00Z`) + days * 86_400_000).toISOString().slice(0, 10);
}

/** Returns the same day of a later month, or its last one. */
export function plusMonths(day: string, months: number): string {
  const [year = 0, month = 0, date = 0] = day.split("-").map(Number);
  const last = new Date(Date.UTC(year, month - 1 + months + 1, 0)).getUTCDate();
  return new Date(Date.UTC(year, month - 1 + months, Math.min(date, last))).toISOString().slice(0, 10);
}

/** Returns the day itself, or the next one on which banks work. */
export function bankDay(day: string): string {
  const isClosed = closedDays.get(day) ?? isClosedOn(day);
  closedDays.set(day, isClosed);
  return isClosed ? bankDay(plusDays(day, 1)) : day;
}

function isClosedOn(day: string): boolean {
  return (
    new Date(`${day}T12:00:00Z`).getUTCDay() % 6 === 0 ||
    (holidays.isHoliday(`${day} 12:00:00`) || []).some(({ type }) => type === "public" || type === "bank")
  );
}

export function isDay(text: unknown): text is string {
  return typeof text === "string" && /^\d{4}-\d\d-\d\d$/.test(text) && plusMonthsIsSame(text);
}

function plusMonthsIsSame(day: string): boolean {
  return !Number.isNaN(Date.parse(`${day}T12:00:00Z`)) && plusMonths(day, 0) === day;
}
