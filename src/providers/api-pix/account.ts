import type { Profile, Resource } from "./profile.ts";

/** A client certificate with its key, in PEM or PKCS#12. */
export type ClientIdentity =
  | { readonly certificate: string; readonly privateKey: string }
  | { readonly pfx: Buffer; readonly passphrase: string };

/** An account's secrets and settings, decrypted. */
export interface ApiPixAccount {
  readonly id: string;
  readonly profile: Profile;
  readonly clientId: string;
  /** Null with a profile whose certificate is the secret. */
  readonly clientSecret: string | null;
  readonly appKey: string | null;
  /** The number of the bank account that an application with several of them means. */
  readonly accountNumber?: string;
  /** The key of the account, as payers address it. */
  readonly pixKey: string;
  /** The client certificate with its key. */
  readonly identity: ClientIdentity;
  /** When that certificate ends. */
  readonly certificateEndsAt: Date | null;
  /** Certificates of authorities to trust besides the system's, in PEM; null: none. */
  readonly ca: string | null;
  /** Of a profile without addresses of its own. */
  readonly baseUrl: string | null;
  readonly tokenUrl: string | null;
  /** The offset of times that the bank labels as UTC, such as "-03:00"; absent: they are UTC. */
  readonly clockOffset?: string;
}

/** Returns the address of a resource. Throws Error if neither the profile nor the account has one. */
export function addressOf({ profile, baseUrl }: ApiPixAccount, resource: Resource): string {
  const base = profile.base?.[resource] ?? baseUrl;
  if (base == null) throw new Error(`profile ${profile.name} needs an address`);
  return base;
}

/** Returns the address of the token. Throws Error if neither the profile nor the account has one. */
export function tokenAddressOf({ profile, tokenUrl }: ApiPixAccount): string {
  const address = profile.tokenUrl ?? tokenUrl;
  if (address == null) throw new Error(`profile ${profile.name} needs the token's address`);
  return address;
}
