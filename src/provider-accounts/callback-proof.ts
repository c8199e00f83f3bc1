import { hash, timingSafeEqual, X509Certificate } from "node:crypto";
import { quickCertificate, type QuickCertificate } from "../providers/authorities.ts";
import type { StoredProof } from "../providers/stored-config.ts";

/** What a caller shows as proof. */
export interface ShownProof {
  readonly hmac: string | undefined;
  /** The secret of its header. */
  readonly token: string | undefined;
  /** The signature of its header. */
  readonly signature: string | undefined;
  /** The header of HTTP's own authentication. */
  readonly authorization: string | undefined;
  /** Certificates in DER, the caller's own first. */
  readonly certificates: readonly Uint8Array[];
}

/** The signatures that one callback may make the service verify. */
const VERIFICATIONS_MAX = 16;
const CHAIN_MAX = 8;

/**
 * Returns true if a callback proves that it comes from the account's provider; of a signature, if it shows one, for the
 * body that it signs is read after that. `authorities`: those of a proof by certificate.
 */
export function isProven(
  proof: StoredProof,
  shown: ShownProof,
  authorities: readonly QuickCertificate[],
  now: Date,
): boolean {
  if (proof.kind !== "mtls") return isShown(proof, shown);
  const [own, ...others] = readDer(shown.certificates);
  const isNamed =
    own !== undefined &&
    commonName(own, "subject") === proof.subject &&
    commonName(own, "issuer") === proof.issuer;
  return isNamed && endsIn(authorities, own, others, now);
}

function isShown(proof: Exclude<StoredProof, { readonly kind: "mtls" }>, shown: ShownProof): boolean {
  if (proof.kind === "signature") return shown.signature !== undefined;
  if (proof.kind === "token") return shown.token !== undefined && isSame(shown.token, proof.secret);
  if (proof.kind === "basic") return isSame(basicSecret(shown.authorization ?? ""), proof.secret);
  return shown.hmac !== undefined && isSame(shown.hmac, proof.secret);
}

/** Returns the user and the password of a header by HTTP Basic; empty: it has none. */
function basicSecret(authorization: string): string {
  const [, credentials = ""] = /^basic +(\S+)$/i.exec(authorization) ?? [];
  return Buffer.from(credentials, "base64").toString("utf8");
}

/** Compares in a time that does not depend on the texts. */
function isSame(one: string, other: string): boolean {
  return timingSafeEqual(hash("sha256", one, "buffer"), hash("sha256", other, "buffer"));
}

/**
 * Returns true if the chain leads from the certificate to one of the authorities, each signed by the next. Certificates
 * whose keys verify slowly sign nothing here.
 */
function endsIn(
  authorities: readonly QuickCertificate[],
  own: X509Certificate,
  others: readonly X509Certificate[],
  now: Date,
): boolean {
  let verifications = 0;
  const isIssuedBy = (certificate: X509Certificate, issuer: QuickCertificate): boolean =>
    certificate.checkIssued(issuer.certificate) &&
    ++verifications <= VERIFICATIONS_MAX &&
    certificate.verify(issuer.key);
  const valid = authorities.filter(({ certificate }) => isInTime(certificate, now));
  let left = others.filter(({ ca }) => ca).flatMap((each) => quickCertificate(each) ?? []);
  let last: X509Certificate | undefined = own;
  for (let length = 0; last && length < CHAIN_MAX; length++) {
    const current: X509Certificate = last;
    if (!isInTime(current, now)) break;
    if (valid.some((authority) => isIssuedBy(current, authority))) return true;
    const next = left.find((each) => isIssuedBy(current, each));
    left = left.filter((each) => each !== next);
    last = next?.certificate;
  }
  return false;
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
