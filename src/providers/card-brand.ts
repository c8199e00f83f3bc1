export type CardBrand = "visa" | "mastercard" | "elo" | "hipercard" | "amex" | "other";

/** A card as its payer and its fees know it. */
export interface PaidCard {
  readonly brand: CardBrand;
  /** The last four digits of its number; null: they are not known. */
  readonly lastFour: string | null;
}

const BRANDS: Readonly<Record<string, CardBrand>> = {
  visa: "visa",
  mastercard: "mastercard",
  elo: "elo",
  hipercard: "hipercard",
  amex: "amex",
  american_express: "amex",
  "american express": "amex",
};

/** Returns the brand that a provider names, in any case. */
function brandOfName(name: string | null): CardBrand {
  const known = (name ?? "").toLowerCase();
  return Object.hasOwn(BRANDS, known) ? (BRANDS[known] ?? "other") : "other";
}

/** Returns the card that a provider names by brand and last digits. */
export function paidCard(name: string | null, lastDigits: string | null): PaidCard {
  return { brand: brandOfName(name), lastFour: /^\d{4}$/.test(lastDigits ?? "") ? lastDigits : null };
}
