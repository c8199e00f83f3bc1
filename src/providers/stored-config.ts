import type { AddressUse } from "../platform/outside/outside-address.ts";

/** How an account's callbacks are proven. */
export type StoredProof =
  | { readonly kind: "token"; readonly secret: string }
  /** The provider's signature of the body. `key`: PEM, or null for the keys that it publishes. */
  | { readonly kind: "signature"; readonly key: string | null }
  /** HTTP Basic. `secret`: user and password with a colon between them. */
  | { readonly kind: "basic"; readonly secret: string }
  | { readonly kind: "hmac"; readonly secret: string }
  | { readonly kind: "mtls"; readonly ca: string; readonly issuer: string; readonly subject: string };

/** What is encrypted of every account. Each provider has more of its own. */
export interface StoredConfig {
  readonly callback: StoredProof;
  /** The secret in the address of callbacks. */
  readonly callbackSecret: string;
}

/** The secrets that the service itself makes for an account. */
export type OwnSecrets = Readonly<Record<"callbackSecret" | "hmacSecret", string>>;

/** A checked config, and the columns that may be shown of it. */
export interface ReadConfig<Config extends StoredConfig = StoredConfig> {
  readonly config: Config;
  readonly columns: {
    readonly fingerprint: string;
    readonly lastFour: string;
    readonly certificateSubject: string | null;
    readonly certificateNotAfter: Date | null;
    readonly callbackProof: StoredProof["kind"];
    readonly isDemo: boolean;
  };
  /** The addresses that the account names. */
  readonly addresses: readonly { readonly url: URL; readonly use: AddressUse }[];
}
