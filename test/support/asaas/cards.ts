import type { Brand } from "./state.ts";

export const COUNT_MAX = 21;
const COUNT_MAX_OF_OTHERS = 12;

/** Numbers that the real sandbox refuses; it approves all others. */
const REFUSED = new Set(["5184019740373151", "4916561358240741"]);

export function brandOf(number: string): Brand {
  if (number.startsWith("34") || number.startsWith("37")) return "AMEX";
  if (number.startsWith("4")) return "VISA";
  if (number.startsWith("5")) return "MASTERCARD";
  return number.startsWith("6") ? "ELO" : "UNKNOWN";
}

export function isRefused(number: string): boolean {
  return REFUSED.has(number);
}

export function countMaxOf(brand: Brand): number {
  return brand === "VISA" || brand === "MASTERCARD" ? COUNT_MAX : COUNT_MAX_OF_OTHERS;
}
