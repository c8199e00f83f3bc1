import { createPrivateKey, X509Certificate, type KeyObject } from "node:crypto";
import { isQuickKey, RSA_BITS_MAX } from "../platform/outside/public-key.ts";
import { open } from "./opening.ts";
import type { GivenSettings } from "./settings.ts";

/** A client certificate with its key, and what may be shown of it. */
export interface ReadIdentity {
  readonly identity: StoredIdentity;
  readonly subject: string;
  readonly notAfter: Date;
}

/** A client certificate as it is stored: PEM, or PKCS#12 in base64. */
export type StoredIdentity =
  | { readonly certificate: string; readonly privateKey: string }
  | { readonly pfx: string; readonly passphrase: string };

/** The keys that certificates may have. */
export const KEYS = `RSA of at most ${RSA_BITS_MAX} bits with an exponent of at most 32, P-256, P-384, P-521 or Ed25519`;
// OpenSSL's files have 6,144 rounds of derivation, or 131,072 with scrypt, and those of Bouncy Castle 204,800.
const ROUNDS_ADVISED = 250_000;
const TOO_MUCH_WORK = `takes too much work to open: encrypt it anew with at most ${ROUNDS_ADVISED} rounds.`;
const TOO_LARGE = `has a key that takes too much work: ${KEYS}.`;
const PEM_CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/**
 * Reads a certificate with its key: PKCS#12 for certificate, or certificate and private_key in PEM; each may need
 * passphrase. A key in PEM is stored without its passphrase. Errors: invalid_request if one is not readable, or if the key
 * is another certificate's.
 */
export async function readIdentity(given: GivenSettings): Promise<ReadIdentity> {
  const pfx = given.bytes("certificate");
  return pfx ? await readPkcs12(given, pfx) : await readPem(given);
}

async function readPem(given: GivenSettings): Promise<ReadIdentity> {
  const certificate = given.text("certificate");
  const read = certificatesIn(certificate)[0];
  if (!read) throw given.wrong("certificate", "is not a readable certificate in PEM.");
  requireSmall(given, read);
  const key = await readKey(given);
  if (!read.checkPrivateKey(key)) throw given.wrong("private_key", "does not belong to the certificate.");
  const identity = { certificate, privateKey: key.export({ type: "pkcs8", format: "pem" }) };
  return { identity, ...shown(read) };
}

async function readPkcs12(given: GivenSettings, pfx: Buffer): Promise<ReadIdentity> {
  const passphrase = given.text("passphrase");
  const refuse = (what: string): Error => given.wrong("certificate", what);
  const opened = await open({ pfx, passphrase });
  switch (opened.kind) {
    case "slow":
      throw refuse(TOO_MUCH_WORK);
    case "unreadable":
    case "heavy":
      throw refuse("is not PKCS#12 with a certificate and its key, or passphrase is wrong.");
    case "legacy": {
      const command = "openssl pkcs12 -legacy -nodes -in FILE -out FILE.pem";
      throw refuse(`is PKCS#12 in an old encryption that is not read: ${command} makes PEM of it.`);
    }
    case "read": {
      const read = new X509Certificate(Buffer.from(opened.text, "base64"));
      requireSmall(given, read);
      return { identity: { pfx: pfx.toString("base64"), passphrase }, ...shown(read) };
    }
  }
}

/** Returns the certificates of a PEM text; none if one of them is not readable. */
export function certificatesIn(pem: string): X509Certificate[] {
  try {
    return (pem.match(PEM_CERTIFICATE) ?? []).map((text) => new X509Certificate(text));
  } catch {
    return [];
  }
}

async function readKey(given: GivenSettings): Promise<KeyObject> {
  const refuse = (what: string): Error => given.wrong("private_key", what);
  const [key, passphrase] = [given.text("private_key"), given.text("passphrase")];
  const opened = await open(passphrase === "" ? { key } : { key, passphrase });
  if (opened.kind === "slow") throw refuse(TOO_MUCH_WORK);
  if (opened.kind === "heavy") throw refuse(TOO_LARGE);
  try {
    if ("text" in opened) return createPrivateKey(opened.text);
  } catch {
    // It is refused as others that are not readable.
  }
  throw refuse("is not a readable private key in PEM, or passphrase is wrong.");
}

/** Each connection signs with the key, on the event loop: the work grows with the cube of its size. */
function requireSmall(given: GivenSettings, certificate: X509Certificate): void {
  if (!hasQuickKey(certificate)) throw given.wrong("certificate", TOO_LARGE);
}

function hasQuickKey(certificate: X509Certificate): boolean {
  try {
    return isQuickKey(certificate.publicKey);
  } catch {
    return false;
  }
}

function shown(read: X509Certificate): { subject: string; notAfter: Date } {
  return { subject: read.subject.split("\n").join(", "), notAfter: read.validToDate };
}
