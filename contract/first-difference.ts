import { DayState, type DaySummary } from "../gen/paylink/reconciliation/v1/reconciliation_pb.ts";
import { dayText } from "./date-text.ts";
import type { Language } from "./messages.ts";
import { moneyText } from "./money-text.ts";

/** Returns those of the days that differ, in their order: the first is what a person looks for. */
export function differingDays(days: readonly DaySummary[]): DaySummary[] {
  return days.filter(({ state }) => state === DayState.DIFFERS);
}

/** Returns a day that differs in words, "29 Nov 2026, R$1.37, Efí": its amount, and the names of its accounts. */
export function differenceText(
  language: Language,
  { day, difference }: DaySummary,
  accountNames: readonly string[],
): string {
  // A day whose provider's balance alone contradicts it has no amount.
  const amount = difference === 0n ? [] : [moneyText(language, difference, "BRL")];
  return [dayText(language, day), ...amount, ...accountNames].join(", ");
}
