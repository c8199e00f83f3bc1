import countries from "i18n-iso-countries";
import { invalidRequest } from "./errors.ts";

/** Refuses a payer_country that is not an ISO 3166-1 alpha-2 code. Error: invalid_request on payer_country. */
export function checkPayerCountry(code: string | undefined): void {
  if (code !== undefined && countries.alpha2ToAlpha3(code) === undefined) {
    throw invalidRequest("payer_country", "payer_country must be an ISO 3166-1 alpha-2 code.");
  }
}
