/** The page on which a payer types the card: a charge's invoice, or a checkout that makes the charge when it is paid. */
export type AsaasPage = "invoice" | "checkout";

/** An account's secrets and settings, decrypted. */
export interface AsaasAccount {
  readonly id: string;
  readonly apiKey: string;
  readonly page: AsaasPage;
  /** All that precedes the paths, without a trailing slash. */
  readonly baseUrl: string;
}

/** The name of the profile. */
export const ASAAS = "asaas";

/** What each API key of live mode begins with: the provider has another address, and other keys, for tests. */
export const LIVE_KEY_PREFIX = "$aact_prod_";

export const LIVE_BASE_URL = "https://api.asaas.com/v3";
