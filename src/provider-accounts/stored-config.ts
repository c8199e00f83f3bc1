import type { AsaasPage } from "../providers/asaas/account.ts";
import type { AddressUse } from "../platform/outside/outside-address.ts";
import type { StoredIdentity } from "./certificate.ts";

/** How an account's callbacks are proven. */
export type StoredProof =
  | { readonly kind: "token"; readonly secret: string }
  /** The provider's signature of the body. `key`: PEM, or null for the keys that it publishes. */
  | { readonly kind: "signature"; readonly key: string | null }
  | { readonly kind: "hmac"; readonly secret: string }
  | { readonly kind: "mtls"; readonly ca: string; readonly issuer: string; readonly subject: string };

/** What is encrypted of an account. */
export type StoredConfig = StoredPixConfig | StoredAsaasConfig | StoredPagarmeConfig;

/** What is encrypted of an account with the API Pix. */
export interface StoredPixConfig {
  readonly clientId: string;
  readonly clientSecret: string | null;
  readonly appKey: string | null;
  readonly pixKey: string;
  readonly identity: StoredIdentity;
  readonly ca: string | null;
  readonly baseUrl: string | null;
  readonly tokenUrl: string | null;
  readonly callback: Exclude<StoredProof, { readonly kind: "token" | "signature" }>;
  /** The secret in the address of callbacks. */
  readonly callbackSecret: string;
}

/** The secrets that the service itself makes for an account. */
export type OwnSecrets = Readonly<Record<"callbackSecret" | "hmacSecret", string>>;

/** A checked config, and the columns that may be shown of it. */
export interface ReadConfig {
  readonly config: StoredConfig;
  readonly columns: {
    readonly fingerprint: string;
    readonly lastFour: string;
    readonly certificateSubject: string | null;
    readonly certificateNotAfter: Date | null;
    readonly callbackProof: "hmac" | "mtls" | "token" | "signature";
    readonly isDemo: boolean;
  };
  /** The addresses that the account names. */
  readonly addresses: readonly { readonly url: URL; readonly use: AddressUse }[];
}

/** What is encrypted of an account at Asaas. */
export interface StoredAsaasConfig {
  readonly apiKey: string;
  /** Absent: the invoice's. */
  readonly page?: AsaasPage;
  /** Null: the provider's own address. */
  readonly baseUrl: string | null;
  readonly callback: { readonly kind: "token"; readonly secret: string };
  /** The secret in the address of callbacks. */
  readonly callbackSecret: string;
}

/** What is encrypted of an account at Pagar.me. */
export interface StoredPagarmeConfig {
  readonly secretKey: string;
  readonly publicKey: string;
  /** Null: the provider's own address. */
  readonly baseUrl: string | null;
  readonly installmentsMax: number;
  /** A whole number of centavos. */
  readonly leastInstallment: number;
  readonly hasAntifraud: boolean;
  readonly callback: Extract<StoredProof, { readonly kind: "signature" }>;
  /** The secret in the address of callbacks. */
  readonly callbackSecret: string;
}

/** Returns true for the config of an account with the API Pix. */
export function isPixConfig(config: StoredConfig): config is StoredPixConfig {
  return "pixKey" in config;
}

/** Returns true for the config of an account at Asaas. */
export function isAsaasConfig(config: StoredConfig): config is StoredAsaasConfig {
  return "apiKey" in config;
}
