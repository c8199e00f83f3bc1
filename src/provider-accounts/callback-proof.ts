import { hash, timingSafeEqual, X509Certificate } from "node:crypto";
import type { StoredProof } from "./stored-config.ts";
import { certificatesIn } from "./certificate.ts";

/** What a caller shows as proof. */
export interface ShownProof {
  readonly hmac: string | undefined;
  /** The secret of its header. */
  readonly token: string | undefined;
  /** The signature of its header. */
  readonly signature: string | undefined;
  /** Certificates in DER, the caller's own first. */
  readonly certificates: readonly Uint8Array[];
}

const CHAIN_MAX = 8;

/**
 * Returns true if a callback proves that it comes from the account's provider; of a signature only if it shows one, for
 * the body that it signs is read after that.
 */
export function isProven(proof: StoredProof, shown: ShownProof, now: Date): boolean {
  if (proof.kind === "signature") return shown.signature !== undefined;
  if (proof.kind === "token") return shown.token !== undefined && isSame(shown.token, proof.secret);
  if (proof.kind === "hmac") return shown.hmac !== undefined && isSame(shown.hmac, proof.secret);
  const [own, ...others] = readDer(shown.certificates);
  return (
    own !== undefined &&
    commonName(own, "subject") === proof.subject &&
    commonName(own, "issuer") === proof.issuer &&
    endsIn(certificatesIn(proof.ca), own, others, now)
  );
}

/** Compares in a time that does not depend on the texts. */
function isSame(one: string, other: string): boolean {
  return timingSafeEqual(hash("sha256", one, "buffer"), hash("sha256", other, "buffer"));
}

/** Returns true if the chain leads from the certificate to one of the authorities, each signed by the next. */
function endsIn(
  authorities: readonly X509Certificate[],
  own: X509Certificate,
  others: readonly X509Certificate[],
  now: Date,
): boolean {
  const between = others.filter(({ ca }) => ca);
  let last: X509Certificate | undefined = own;
  for (let length = 0; last && length < CHAIN_MAX; length++) {
    const current: X509Certificate = last;
    if (!isInTime(current, now)) return false;
    if (authorities.some((authority) => isInTime(authority, now) && isIssuedBy(current, authority)))
      return true;
    last = between.find((next) => next !== current && isIssuedBy(current, next));
  }
  return false;
}

function isIssuedBy(certificate: X509Certificate, issuer: X509Certificate): boolean {
  return certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey);
}

function isInTime({ validFromDate, validToDate }: X509Certificate, now: Date): boolean {
  return validFromDate <= now && now <= validToDate;
}

/** Returns the common name, or undefined if there is none or are several. */
function commonName(certificate: X509Certificate, of: "subject" | "issuer"): string | undefined {
  const names = certificate[of].split("\n").filter((line) => line.startsWith("CN="));
  return names.length === 1 ? names[0]?.slice("CN=".length) : undefined;
}

function readDer(certificates: readonly Uint8Array[]): X509Certificate[] {
  try {
    return certificates.map((der) => new X509Certificate(der));
  } catch {
    return [];
  }
}
