/** A signature as a callback's header has it. */
export interface Signature {
  /** Which of the provider's keys it is of. */
  readonly keyId: string;
  readonly bytes: Uint8Array;
}

const PART = /^\s*(alg|kid|signature)=(\S+)\s*$/;
const BASE64 = /^[0-9A-Za-z+/_-]{1,2000}={0,2}$/;

/** Returns the signature in a header such as "alg=RS256; kid=1; signature=…", or null for another one. */
export function readSignature(header: string): Signature | null {
  const parts = new Map<string, string>();
  for (const text of header.split(";")) {
    const [, name, value] = PART.exec(text) ?? [];
    if (name === undefined || value === undefined || parts.has(name)) return null;
    parts.set(name, value);
  }
  const [keyId, signature] = [parts.get("kid"), parts.get("signature")];
  if (parts.get("alg") !== "RS256" || keyId === undefined || !BASE64.test(signature ?? "")) return null;
  return { keyId, bytes: Buffer.from(signature ?? "", "base64") };
}
