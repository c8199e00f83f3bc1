import { createPrivateKey, X509Certificate, type KeyObject } from "node:crypto";
import { createSecureContext } from "node:tls";
import { invalidRequest } from "../platform/errors.ts";
import { isQuickToOpen } from "./key-derivation.ts";

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

// What Node says of RC2, with which older programs encrypt the file.
const UNSUPPORTED = "Unsupported PKCS12";
const PEM_KEY = /-----BEGIN ENCRYPTED PRIVATE KEY-----([^-]+)-----END ENCRYPTED PRIVATE KEY-----/g;
const PEM_CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/**
 * Reads a certificate and its key from PEM. The key is stored without its passphrase. Errors: invalid_request if one
 * is not readable, or if the key is another certificate's.
 */
export function readPem(certificate: string, privateKey: string, passphrase: string): ReadIdentity {
  const read = certificatesIn(certificate)[0];
  if (!read) throw refused("certificate", "is not a readable certificate in PEM.");
  const key = readKey(privateKey, passphrase);
  if (!read.checkPrivateKey(key)) throw refused("private_key", "does not belong to the certificate.");
  const identity = { certificate, privateKey: key.export({ type: "pkcs8", format: "pem" }) };
  return { identity, ...shown(read) };
}

/** Reads a certificate and its key from PKCS#12. Error: invalid_request. */
export function readPkcs12(pfx: Buffer, passphrase: string): ReadIdentity {
  requireQuick("certificate", pfx);
  const read = certificateOfPkcs12(pfx, passphrase);
  if (!read) {
    throw refused("certificate", "is not PKCS#12 with a certificate and its key, or passphrase is wrong.");
  }
  if (read === "legacy") {
    const command = "openssl pkcs12 -legacy -nodes -in FILE -out FILE.pem";
    throw refused(
      "certificate",
      `is PKCS#12 in an old encryption that is not read: ${command} makes PEM of it.`,
    );
  }
  return { identity: { pfx: pfx.toString("base64"), passphrase }, ...shown(read) };
}

/** Returns the certificates of a PEM text; none if one of them is not readable. */
export function certificatesIn(pem: string): X509Certificate[] {
  try {
    return (pem.match(PEM_CERTIFICATE) ?? []).map((text) => new X509Certificate(text));
  } catch {
    return [];
  }
}

function certificateOfPkcs12(pfx: Buffer, passphrase: string): X509Certificate | "legacy" | undefined {
  try {
    const context = createSecureContext({ pfx, passphrase }).context as { getCertificate(): Buffer | null };
    const der = context.getCertificate();
    return der ? new X509Certificate(der) : undefined;
  } catch (error) {
    return error instanceof Error && error.message.startsWith(UNSUPPORTED) ? "legacy" : undefined;
  }
}

function readKey(key: string, passphrase: string): KeyObject {
  for (const [, text = ""] of key.matchAll(PEM_KEY)) requireQuick("private_key", Buffer.from(text, "base64"));
  try {
    return createPrivateKey(passphrase === "" ? { key } : { key, passphrase });
  } catch {
    throw refused("private_key", "is not a readable private key in PEM, or passphrase is wrong.");
  }
}

function requireQuick(field: string, der: Buffer): void {
  if (isQuickToOpen(der)) return;
  throw refused(field, "takes too much work to open: encrypt it anew with at most 200000 rounds.");
}

function shown(read: X509Certificate): { subject: string; notAfter: Date } {
  return { subject: read.subject.split("\n").join(", "), notAfter: read.validToDate };
}

function refused(field: string, what: string): Error {
  return invalidRequest(`config.${field}`, `${field} ${what}`);
}
