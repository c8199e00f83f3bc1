import type { Language } from "./messages.ts";

/** The banks and card providers as people know them, by the profiles of accounts. */
const NAMES = new Map(
  Object.entries({
    asaas: "Asaas",
    bb: "Banco do Brasil",
    bradesco: "Bradesco",
    efi: "Efí",
    inter: "Inter",
    itau: "Itaú",
    pagarme: "Pagar.me",
    santander: "Santander",
    sicoob: "Sicoob",
    sicredi: "Sicredi",
  }),
);

/** The standard itself, for a bank that is not here. */
const STANDARD = "bacen";
const STANDARD_NAMES: Readonly<Record<Language, string>> = {
  "pt-BR": "API Pix do Banco Central",
  en: "Central Bank's Pix API",
};

/** Returns the name of a profile's bank, or the profile if it is not known here. */
export function bankName(language: Language, profile: string): string {
  return profile === STANDARD ? STANDARD_NAMES[language] : (NAMES.get(profile) ?? profile);
}
