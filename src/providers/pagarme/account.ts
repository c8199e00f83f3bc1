import type { PayerField } from "../ports.ts";

/** The name of the profile. */
export const PAGARME = "pagarme";

/** An account's secrets and settings, decrypted. */
export interface PagarmeAccount {
  readonly id: string;
  readonly secretKey: string;
  readonly publicKey: string;
  /** All that precedes the paths, without a trailing slash. */
  readonly baseUrl: string;
  /** Where the keys of callbacks' signatures are. */
  readonly jwksUrl: string;
  /** Where its contests are: another host than the rest. */
  readonly disputesUrl: string;
  /** The one key of callbacks' signatures, PEM; null: those at `jwksUrl`. */
  readonly callbackKey: string | null;
  readonly installmentsMax: number;
  readonly leastInstallmentMinor: bigint;
  readonly payerFields: readonly PayerField[];
}

export const LIVE_BASE_URL = "https://api.pagar.me/core/v5";
export const LIVE_JWKS_URL = "https://hubapi.pagar.me/.well-known/jwks.json";
export const LIVE_DISPUTES_URL = "https://api.stone.com.br/v1/disputes";
export const DISPUTES_PATH = "/v1/disputes";
export const JWKS_PATH = "/.well-known/jwks.json";

/** The installments of a contract as payment service provider, and the most that the service offers. */
export const INSTALLMENTS_DEFAULT = 18;
export const INSTALLMENTS_MAX = 21;

// Both modes have one address: the keys alone keep them apart.
const LIVE_KEYS = { secret: /^sk_(?!test_)[0-9A-Za-z_]{8,}$/, public: /^pk_(?!test_)[0-9A-Za-z_]{8,}$/ };

/** Returns true for a key of live mode. */
export function isLiveKey(kind: keyof typeof LIVE_KEYS, key: string): boolean {
  return LIVE_KEYS[kind].test(key);
}
