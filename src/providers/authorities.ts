import type { KeyObject, X509Certificate } from "node:crypto";
import { LRUCache } from "lru-cache";
import { isQuickKey } from "../platform/outside/public-key.ts";
import { certificatesIn } from "./certificate.ts";

/** The most different certificates of authorities that an account has for one purpose. */
export const AUTHORITIES_MAX = 8;
const ACCOUNTS_KEPT = 500;

/** A certificate, and its key, with which signatures are verified quickly. */
export interface QuickCertificate {
  readonly certificate: X509Certificate;
  readonly key: KeyObject;
}

/** Returns the certificate with its key, or undefined if that is unreadable or verifies too slowly. */
export function quickCertificate(certificate: X509Certificate): QuickCertificate | undefined {
  try {
    const key = certificate.publicKey;
    return isQuickKey(key) ? { certificate, key } : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the certificates without those that are there twice. */
export function distinct(certificates: readonly X509Certificate[]): X509Certificate[] {
  return [...new Map(certificates.map((each) => [each.raw.toString("latin1"), each])).values()];
}

/** The authorities of accounts, each read once for each revision of its account. */
export class Authorities {
  readonly #read = new LRUCache<string, readonly QuickCertificate[]>({ max: ACCOUNTS_KEPT });

  /** Returns those of a PEM text: of an account that was stored before their bounds, as many as the bounds allow. */
  of(
    { id, revision }: { readonly id: string; readonly revision: number },
    pem: string,
  ): readonly QuickCertificate[] {
    const name = `${id} ${revision}`;
    const known = this.#read.get(name);
    if (known) return known;
    const quick = distinct(certificatesIn(pem)).flatMap((each) => quickCertificate(each) ?? []);
    const found = quick.slice(0, AUTHORITIES_MAX);
    this.#read.set(name, found);
    return found;
  }
}
