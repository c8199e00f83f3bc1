import { createPublicKey, type KeyObject } from "node:crypto";

// What a verification costs, on the event loop, grows with the modulus and with the exponent, which OpenSSL lets be as
// long as a modulus of up to 3072 bits: then it takes a hundred times as long.
const EXPONENT_MAX = 2n ** 32n;
export const RSA_BITS_MAX = 4096;
// Of the curves that OpenSSL names, some take ten times as long.
const CURVES: ReadonlySet<string | undefined> = new Set(["prime256v1", "secp384r1", "secp521r1"]);

/** Returns true if signatures are verified with this key in well under a millisecond. */
export function isQuickKey(key: KeyObject, rsaBitsMax: number = RSA_BITS_MAX): boolean {
  const { modulusLength, publicExponent, namedCurve } = key.asymmetricKeyDetails ?? {};
  switch (key.asymmetricKeyType) {
    case "rsa":
    case "rsa-pss":
      return (modulusLength ?? Infinity) <= rsaBitsMax && (publicExponent ?? EXPONENT_MAX) < EXPONENT_MAX;
    case "ec":
      return CURVES.has(namedCurve);
    case "ed25519":
      return true;
    default:
      return false;
  }
}

/**
 * Reads a public key in PEM. Throws for any other text, and for a private key: OpenSSL computes the public one of it, for some
 * kinds with numbers of any size.
 */
export function readPublicKey(pem: string): KeyObject {
  if (pem.includes("PRIVATE KEY")) throw new RangeError("a public key");
  return createPublicKey(pem);
}
