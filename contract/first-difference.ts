import { DayState, type DaySummary } from "../gen/paylink/reconciliation/v1/reconciliation_pb.ts";
import { weekdayText } from "./day.ts";
import { decimalText, MINOR_DIGITS } from "./decimal.ts";
import type { Language } from "./messages.ts";

/** Returns those of the days that differ, in their order: the first is what a person looks for. */
export function differingDays(days: readonly DaySummary[]): DaySummary[] {
  return days.filter(({ state }) => state === DayState.DIFFERS);
}

/** Returns a day that differs in words, "Sun, 11/29/2026, R$1.37, Efí": its amount, and the names of its accounts. */
export function differenceText(
  language: Language,
  { day, difference }: DaySummary,
  accountNames: readonly string[],
): string {
  const money = new Intl.NumberFormat(language, { style: "currency", currency: "BRL" });
  // A day whose provider's balance alone contradicts it has no amount.
  const amount = difference === 0n ? [] : [money.format(decimalText(difference, MINOR_DIGITS))];
  return [weekdayText(language, day), ...amount, ...accountNames].join(", ");
}
