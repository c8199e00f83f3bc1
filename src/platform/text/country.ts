// The list alone: the package itself loads the names of all countries in eighty languages.
import countries from "i18n-iso-countries/codes.json" with { type: "json" };
import { invalidRequest } from "../rpc/errors.ts";

const CODES = new Set(countries.map(([alpha2]) => alpha2));

/** Refuses a payer_country that is not an ISO 3166-1 alpha-2 code. Error: invalid_request on payer_country. */
export function checkPayerCountry(code: string | undefined): void {
  if (code !== undefined && !CODES.has(code)) {
    throw invalidRequest("payer_country", "payer_country must be an ISO 3166-1 alpha-2 code.");
  }
}
