import { isUtf8 } from "node:buffer";
import { HEADERS } from "./headers.ts";

/** The maximum number of characters of an idempotency key. */
export const KEY_CHARACTERS_MAX = 255;

const PLAIN = /^[ -~]*$/;
const LATIN1 = /^[\0-\xff]*$/;

/** Returns the header that carries a key from the gateway to the core, and its value. */
export function keyHeader(key: string): [name: string, value: string] {
  return PLAIN.test(key)
    ? [HEADERS.idempotencyKey, key]
    : [HEADERS.encodedIdempotencyKey, encodeURIComponent(key)];
}

/**
 * Returns the number of characters of an idempotency key. Node gives a header's bytes as Latin-1: if they are UTF-8,
 * its characters are counted, else the bytes. An encoded key may have other characters, which are counted as they are.
 */
export function keyLength(key: string): number {
  if (PLAIN.test(key)) return key.length;
  if (!LATIN1.test(key)) return Array.from(key).length;
  const bytes = Buffer.from(key, "latin1");
  return isUtf8(bytes) ? Array.from(bytes.toString("utf8")).length : bytes.length;
}
