import type { Brand, Outcome } from "./state.ts";

/** Numbers that the provider's own documents name; the other valid ones are paid. */
const OUTCOMES: Readonly<Record<string, Outcome>> = {
  "4000000000000028": { kind: "declined" },
  "4000000000000036": { kind: "processing" },
  "4000000000000044": { kind: "processing" },
};

/**
 * Returns what a card comes to. A security code that begins with 6 is declined, as the documents say; its other digits
 * are the issuer's code here (651: 51, and of four digits, 6116: 116).
 */
export function outcomeOf(number: string, cvv: string): Outcome {
  if (cvv.startsWith("6")) return { kind: "declined", code: cvv.slice(1) };
  return OUTCOMES[number] ?? { kind: "paid" };
}

export function brandOf(number: string): Brand {
  if (/^3[47]/.test(number)) return "Amex";
  if (/^(?:6362|6363|5067|4389|6504|6516)/.test(number)) return "Elo";
  if (number.startsWith("6062")) return "Hipercard";
  return number.startsWith("5") || number.startsWith("2") ? "Mastercard" : "Visa";
}

/** The code of an issuer that gives no reason. */
export function genericCode(brand: Brand): string {
  return brand === "Amex" ? "100" : "05";
}

/** True for a number of some brand, with its check digit. */
export function isCardNumber(number: string): boolean {
  if (!/^[2-6]\d{12,18}$/.test(number)) return false;
  let sum = 0;
  for (let index = 0; index < number.length; index++) {
    const digit = Number(number.at(-1 - index)) * (index % 2 === 0 ? 1 : 2);
    sum += digit > 9 ? digit - 9 : digit;
  }
  return sum % 10 === 0;
}
