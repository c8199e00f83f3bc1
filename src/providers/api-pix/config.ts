import { hash } from "node:crypto";
import { CallbackProofKind, type PixConfig } from "../../../gen/paylink/providers/v1/providers_pb.ts";
import type { ApiPixAccount } from "./account.ts";
import type { Profile } from "./profile.ts";
import { PROFILES } from "./profiles.ts";
import { hostOf, isLoopbackHost } from "../../platform/text/host-in-url.ts";
import { invalidRequest, readAll, type PaylinkError } from "../../platform/rpc/errors.ts";
import { readOutsideUrl, type AddressPolicy } from "../../platform/outside/outside-address.ts";
import { AUTHORITIES_MAX, distinct, quickCertificate } from "../authorities.ts";
import { certificatesIn, KEYS, readPem, readPkcs12, type StoredIdentity } from "../certificate.ts";
import type { ConnectedAccount } from "../registration.ts";
import type { OwnSecrets, ReadConfig, StoredConfig, StoredProof } from "../stored-config.ts";

const FINGERPRINT_CHARACTERS = 16;
const LAST_CHARACTERS = 4;

function profileOf(name: string): Profile {
  const profile = PROFILES.get(name);
  if (!profile) throw new Error(`no bank has the profile ${name}`);
  return profile;
}

/** What is encrypted of an account with the API Pix. */
export interface StoredPixConfig extends StoredConfig {
  readonly clientId: string;
  readonly clientSecret: string | null;
  readonly appKey: string | null;
  readonly pixKey: string;
  readonly identity: StoredIdentity;
  readonly ca: string | null;
  readonly baseUrl: string | null;
  readonly tokenUrl: string | null;
  readonly callback: Exclude<StoredProof, { readonly kind: "token" | "signature" }>;
}

/** Returns true for the config of an account with the API Pix. */
export function isPixConfig(config: StoredConfig): config is StoredPixConfig {
  return "pixKey" in config;
}

/** Checks a config for its profile. Error: invalid_request on each field of config that is missing or wrong. */
export async function readConfig(
  profileName: string,
  given: PixConfig,
  policy: AddressPolicy,
  own: OwnSecrets,
): Promise<ReadConfig<StoredPixConfig>> {
  const profile = profileOf(profileName);
  const { clientId, pixKey } = given;
  const identified = await identityOf(given);
  const {
    callback,
    addresses,
    identified: read,
  } = readAll<Read>({
    needed: () => requireAll(profile, given),
    ca: () => (given.ca === "" ? undefined : requireAuthorities("ca", given.ca)),
    callback: () => readProof(given, own.hmacSecret),
    addresses: () => addressesOf(profile, given, policy),
    identified,
  });
  const [baseUrl, tokenUrl] = [emptyAsNull(given.baseUrl), emptyAsNull(given.tokenUrl)];
  const clientSecret = emptyAsNull(given.clientSecret);
  const { identity, subject, notAfter } = read;
  return {
    config: {
      clientId,
      clientSecret,
      appKey: emptyAsNull(given.appKey),
      pixKey,
      identity,
      ca: emptyAsNull(given.ca),
      baseUrl,
      tokenUrl,
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
  readonly needed: void;
  readonly ca: void;
  readonly callback: StoredPixConfig["callback"];
  readonly addresses: ReadConfig["addresses"];
  readonly identified: Awaited<ReturnType<typeof readPem>>;
}

/** Returns a reader of the account's certificate with its key, read already: what it is refused for is thrown there. */
async function identityOf({
  pkcs12,
  certificate,
  privateKey,
  passphrase,
}: PixConfig): Promise<() => Read["identified"]> {
  try {
    const read =
      pkcs12.length > 0
        ? await readPkcs12(Buffer.from(pkcs12), passphrase)
        : await readPem(certificate, privateKey, passphrase);
    return () => read;
  } catch (error) {
    return () => {
      throw error;
    };
  }
}

function requireAll(profile: Profile, given: PixConfig): void {
  const usesAppKey = Object.values({ ...profile.headers, ...profile.query }).includes("app_key");
  const isPem = given.pkcs12.length === 0;
  const needed: [field: string, value: string, isNeeded: boolean][] = [
    ["client_id", given.clientId, true],
    ["client_secret", given.clientSecret, profile.tokenStyle !== "id_form"],
    ["app_key", given.appKey, usesAppKey],
    ["pix_key", given.pixKey, true],
    ["certificate", given.certificate, isPem],
    ["private_key", given.privateKey, isPem],
    ["base_url", given.baseUrl, profile.base === null],
    ["token_url", given.tokenUrl, profile.tokenUrl === null],
    ["callback", given.callback ? "given" : "", true],
  ];
  requireEach(needed.flatMap(([field, value, isNeeded]) => (isNeeded ? [[field, value] as const] : [])));
}

function requireEach(needed: readonly (readonly [field: string, value: string])[]): void {
  const readers = needed.map(([field, value]) => {
    const read = (): void => {
      if (value.trim() === "") throw wrong(field, "is missing.");
    };
    return [field, read] as const;
  });
  readAll<Record<string, void>>(Object.fromEntries(readers));
}

function readProof({ callback }: PixConfig, hmacSecret: string): StoredPixConfig["callback"] {
  if (callback?.kind === CallbackProofKind.HMAC) return { kind: "hmac", secret: hmacSecret };
  if (callback?.kind !== CallbackProofKind.MTLS) throw wrong("callback", "must have a proof, hmac or mtls.");
  const { ca, issuer, subject } = callback;
  requireEach([
    ["callback.ca", ca],
    ["callback.issuer", issuer],
    ["callback.subject", subject],
  ]);
  requireAuthorities("callback.ca", ca);
  return { kind: "mtls", ca, issuer, subject };
}

function addressesOf(profile: Profile, given: PixConfig, policy: AddressPolicy): ReadConfig["addresses"] {
  const own = [
    { field: "base_url", text: given.baseUrl, isFixed: profile.base !== null },
    { field: "token_url", text: given.tokenUrl, isFixed: profile.tokenUrl !== null },
  ];
  type Address = ReadConfig["addresses"][number];
  const readers = own
    .filter(({ text }) => text !== "")
    .map(({ field, text, isFixed }): [string, () => Address] => [
      field,
      () => {
        if (isFixed)
          throw wrong(field, `is not for the profile ${profile.name}, which has its own addresses.`);
        const use = {
          param: `config.${field}`,
          isHttpAllowed: false,
          refusal: "providers are not reached there",
        };
        const url = readOutsideUrl(text, policy, use);
        if (field === "base_url" && (text.endsWith("/") || url.search !== "")) {
          throw wrong(field, "must have no trailing slash and no query.");
        }
        return { url, use };
      },
    ]);
  return Object.values(readAll<Record<string, Address>>(Object.fromEntries(readers)));
}

function emptyAsNull(text: string): string | null {
  return text === "" ? null : text;
}

function requireAuthorities(field: string, pem: string): void {
  const certificates = distinct(certificatesIn(pem));
  if (certificates.length === 0) throw wrong(field, "is not readable certificates in PEM.");
  if (certificates.length > AUTHORITIES_MAX) {
    throw wrong(field, `has more than ${AUTHORITIES_MAX} certificates.`);
  }
  if (!certificates.every(quickCertificate)) {
    throw wrong(field, `has a certificate whose key takes too much work: ${KEYS}.`);
  }
}

function wrong(field: string, what: string): PaylinkError {
  return invalidRequest(`config.${field}`, `${field} ${what}`);
}
