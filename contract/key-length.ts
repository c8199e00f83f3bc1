import { isUtf8 } from "node:buffer";

/** The most characters that an idempotency key may have. */
export const KEY_CHARACTERS_MAX = 255;

const PLAIN = /^[ -~]*$/;

/**
 * How many characters an idempotency key has. Node gives a header's bytes as Latin-1: where they are UTF-8 its
 * characters are counted, else the bytes.
 */
export function keyLength(key: string): number {
  if (PLAIN.test(key)) return key.length;
  const bytes = Buffer.from(key, "latin1");
  return isUtf8(bytes) ? Array.from(bytes.toString("utf8")).length : bytes.length;
}
