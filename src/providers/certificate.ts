import { createPrivateKey, X509Certificate, type KeyObject } from "node:crypto";
import { invalidRequest } from "../platform/rpc/errors.ts";
import { isQuickKey, RSA_BITS_MAX } from "../platform/outside/public-key.ts";
import { open } from "./opening.ts";

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
const PEM_CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/**
 * Reads a certificate and its key from PEM. The key is stored without its passphrase. Errors: invalid_request if one
 * is not readable, or if the key is another certificate's.
 */
export async function readPem(
  certificate: string,
  privateKey: string,
  passphrase: string,
): Promise<ReadIdentity> {
  const read = certificatesIn(certificate)[0];
  if (!read) throw refused("certificate", "is not a readable certificate in PEM.");
  requireSmall("certificate", read);
  const key = await readKey(privateKey, passphrase);
  if (!read.checkPrivateKey(key)) throw refused("private_key", "does not belong to the certificate.");
  const identity = { certificate, privateKey: key.export({ type: "pkcs8", format: "pem" }) };
  return { identity, ...shown(read) };
}

/** Reads a certificate and its key from PKCS#12. Error: invalid_request. */
export async function readPkcs12(pfx: Buffer, passphrase: string): Promise<ReadIdentity> {
  const opened = await open({ pfx, passphrase });
  switch (opened.kind) {
    case "slow":
      throw tooMuchWork("certificate");
    case "unreadable":
    case "heavy":
      throw refused("certificate", "is not PKCS#12 with a certificate and its key, or passphrase is wrong.");
    case "legacy": {
      const command = "openssl pkcs12 -legacy -nodes -in FILE -out FILE.pem";
      const problem = `is PKCS#12 in an old encryption that is not read: ${command} makes PEM of it.`;
      throw refused("certificate", problem);
    }
    case "read": {
      const read = new X509Certificate(Buffer.from(opened.text, "base64"));
      requireSmall("certificate", read);
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

async function readKey(key: string, passphrase: string): Promise<KeyObject> {
  const opened = await open(passphrase === "" ? { key } : { key, passphrase });
  if (opened.kind === "slow") throw tooMuchWork("private_key");
  if (opened.kind === "heavy") throw tooLarge("private_key");
  try {
    if ("text" in opened) return createPrivateKey(opened.text);
  } catch {
    // It is refused as others that are not readable.
  }
  throw refused("private_key", "is not a readable private key in PEM, or passphrase is wrong.");
}

/** Each connection signs with the key, on the event loop: the work grows with the cube of its size. */
function requireSmall(field: string, certificate: X509Certificate): void {
  if (!hasQuickKey(certificate)) throw tooLarge(field);
}

function hasQuickKey(certificate: X509Certificate): boolean {
  try {
    return isQuickKey(certificate.publicKey);
  } catch {
    return false;
  }
}

function tooMuchWork(field: string): Error {
  return refused(
    field,
    `takes too much work to open: encrypt it anew with at most ${ROUNDS_ADVISED} rounds.`,
  );
}

function tooLarge(field: string): Error {
  return refused(field, `has a key that takes too much work: ${KEYS}.`);
}

function shown(read: X509Certificate): { subject: string; notAfter: Date } {
  return { subject: read.subject.split("\n").join(", "), notAfter: read.validToDate };
}

function refused(field: string, what: string): Error {
  return invalidRequest(`config.${field}`, `${field} ${what}`);
}
