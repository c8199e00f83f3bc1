import { hash } from "node:crypto";
import type { ApiPixAccount } from "./account.ts";
import type { Profile } from "./profile.ts";
import { readPixKey } from "./pix-key.ts";
import { PROFILES } from "./profiles.ts";
import { defined } from "../../../contract/defined.ts";
import { withoutMarks } from "../../../contract/visible-text.ts";
import { hostOf, isLoopbackHost } from "../../platform/text/host-in-url.ts";
import { readAll } from "../../platform/rpc/errors.ts";
import { readOutsideUrl, type AddressPolicy } from "../../platform/outside/outside-address.ts";
import { AUTHORITIES_MAX, distinct, quickCertificate } from "../authorities.ts";
import {
  certificatesIn,
  KEYS,
  readIdentity,
  type ReadIdentity,
  type StoredIdentity,
} from "../certificate.ts";
import type { ConnectedAccount } from "../registration.ts";
import type { GivenSettings } from "../settings.ts";
import type { OwnSecrets, ReadConfig, StoredConfig, StoredProof } from "../stored-config.ts";

const FINGERPRINT_CHARACTERS = 16;
const LAST_CHARACTERS = 4;
const OFFSET = /^[+-](?:0\d|1[0-4]):[0-5]\d$/;

/** Returns the bank of a profile. Throws Error if none has it. */
export function profileOf(name: string): Profile {
  const profile = PROFILES.get(name);
  if (!profile) throw new Error(`no bank has the profile ${name}`);
  return profile;
}

/** What is encrypted of an account with the API Pix. */
export interface StoredPixConfig extends StoredConfig {
  readonly clientId: string;
  readonly clientSecret: string | null;
  readonly appKey: string | null;
  /** Absent: none was given. */
  readonly accountNumber?: string;
  readonly pixKey: string;
  readonly identity: StoredIdentity;
  readonly ca: string | null;
  readonly baseUrl: string | null;
  readonly tokenUrl: string | null;
  /** Absent: times that the bank labels as UTC are UTC. */
  readonly clockOffset?: string;
  readonly callback: Exclude<StoredProof, { readonly kind: "token" | "signature" }>;
}

/** Returns true for the config of an account with the API Pix. */
export function isPixConfig(config: StoredConfig): config is StoredPixConfig {
  return "pixKey" in config;
}

/** Checks the settings of an account. Error: invalid_request on each that is missing or wrong. */
export async function readConfig(
  given: GivenSettings,
  policy: AddressPolicy,
  own: OwnSecrets,
  former?: StoredConfig,
): Promise<ReadConfig<StoredPixConfig>> {
  const identified = await identityOf(given);
  const {
    callback,
    addresses,
    identified: read,
    pixKey,
    accountNumber,
  } = readAll<Read>({
    given: () => given.check(),
    offset: () => requireOffset(given),
    pixKey: () => pixKeyOf(given, former),
    accountNumber: () => accountNumberOf(given),
    key: () => (given.bytes("certificate") ? undefined : given.requireGiven("private_key")),
    ca: () => (given.text("ca") === "" ? undefined : requireAuthorities(given, "ca")),
    callback: () => readProof(given, own.hmacSecret),
    addresses: () => addressesOf(given, policy),
    identified,
  });
  const [clientId, clientSecret] = [given.text("client_id"), given.textOrNull("client_secret")];
  const { identity, subject, notAfter } = read;
  return {
    config: {
      clientId,
      clientSecret,
      appKey: given.textOrNull("app_key"),
      ...(accountNumber === "" ? {} : { accountNumber }),
      pixKey,
      identity,
      ca: given.textOrNull("ca"),
      baseUrl: given.textOrNull("base_url"),
      tokenUrl: given.textOrNull("token_url"),
      ...defined({ clockOffset: given.text("clock_offset") || undefined }),
      callback,
      callbackSecret: own.callbackSecret,
    },
    columns: {
      fingerprint: hash("sha256", JSON.stringify([clientId, clientSecret])).slice(0, FINGERPRINT_CHARACTERS),
      lastFour: clientId.slice(-LAST_CHARACTERS),
      certificateSubject: subject,
      certificateNotAfter: notAfter,
      callbackProof: callback.kind,
      isDemo: addresses.some(({ url }) => isLoopbackHost(hostOf(url.href))),
    },
    addresses,
  };
}

/** Returns the account as the adapter takes it. */
export function apiPixAccount(
  { id, profile, certificateNotAfter }: Omit<ConnectedAccount, "kind">,
  config: StoredPixConfig,
): ApiPixAccount {
  const { identity, callback: _proof, callbackSecret: _secret, ...rest } = config;
  return {
    ...rest,
    id,
    profile: profileOf(profile),
    certificateEndsAt: certificateNotAfter ?? null,
    identity: "pfx" in identity ? { ...identity, pfx: Buffer.from(identity.pfx, "base64") } : identity,
  };
}

/** What each part of a config reads to. */
interface Read {
  readonly given: void;
  readonly offset: void;
  readonly pixKey: string;
  readonly accountNumber: string;
  readonly key: void;
  readonly ca: void;
  readonly callback: StoredPixConfig["callback"];
  readonly addresses: ReadConfig["addresses"];
  readonly identified: ReadIdentity;
}

/** Returns the key in its normal form. One that was stored before keys were checked stays as it is. */
function pixKeyOf(given: GivenSettings, former: StoredConfig | undefined): string {
  const text = given.text("pix_key");
  const isFormer = former !== undefined && isPixConfig(former) && former.pixKey === text;
  const key = readPixKey(text) ?? (isFormer || text.trim() === "" ? text : null);
  if (key !== null) return key;
  throw given.wrong(
    "pix_key",
    "must be a CPF or CNPJ with its right digits, a phone with +55, an e-mail address or a random key.",
  );
}

/** Returns the digits of a bank account's number; empty: it was not given. */
function accountNumberOf(given: GivenSettings): string {
  const digits = withoutMarks(given.text("account_number"));
  if (/^\d*$/.test(digits)) return digits;
  throw given.wrong("account_number", "must have digits alone, with the check digit.");
}

/** Returns a reader of the account's certificate with its key, read already: what it is refused for is thrown there. */
async function identityOf(given: GivenSettings): Promise<() => ReadIdentity> {
  try {
    const read = await readIdentity(given);
    return () => read;
  } catch (error) {
    return () => {
      throw error;
    };
  }
}

function readProof(given: GivenSettings, hmacSecret: string): StoredPixConfig["callback"] {
  if (given.text("callback.proof") !== "mtls") return { kind: "hmac", secret: hmacSecret };
  const [ca, issuer, subject] = ["callback.ca", "callback.issuer", "callback.subject"] as const;
  given.requireGiven(ca, issuer, subject);
  requireAuthorities(given, ca);
  return { kind: "mtls", ca: given.text(ca), issuer: given.text(issuer), subject: given.text(subject) };
}

function addressesOf(given: GivenSettings, policy: AddressPolicy): ReadConfig["addresses"] {
  type Address = ReadConfig["addresses"][number];
  const read = (name: string) => (): Address => {
    const text = given.text(name);
    const use = {
      param: given.paramOf(name),
      isHttpAllowed: false,
      refusal: "providers are not reached there",
    };
    const url = readOutsideUrl(text, policy, use);
    if (name === "base_url" && (text.endsWith("/") || url.search !== "")) {
      throw given.wrong(name, "must have no trailing slash and no query.");
    }
    return { url, use };
  };
  const names = ["base_url", "token_url"].filter((name) => given.text(name) !== "");
  return Object.values(
    readAll<Record<string, Address>>(Object.fromEntries(names.map((name) => [name, read(name)]))),
  );
}

function requireOffset(given: GivenSettings): void {
  const text = given.text("clock_offset");
  if (text !== "" && !OFFSET.test(text)) throw given.wrong("clock_offset", 'must be such as "-03:00".');
}

function requireAuthorities(given: GivenSettings, name: string): void {
  const certificates = distinct(certificatesIn(given.text(name)));
  if (certificates.length === 0) throw given.wrong(name, "is not readable certificates in PEM.");
  if (certificates.length > AUTHORITIES_MAX) {
    throw given.wrong(name, `has more than ${AUTHORITIES_MAX} certificates.`);
  }
  if (!certificates.every(quickCertificate)) {
    throw given.wrong(name, `has a certificate whose key takes too much work: ${KEYS}.`);
  }
}
