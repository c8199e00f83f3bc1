import { randomFillSync } from "node:crypto";
import { fromUUIDBytes } from "typeid-js";
import { v7 } from "uuid";

const ENTROPY_BYTES = 16;
const SUFFIX = /^[0-7][0-9a-hjkmnp-tv-z]{25}$/;

const pool = new Uint8Array(ENTROPY_BYTES * 256);
let offset = pool.length;

// A system call for each id costs more than the rest of it, so entropy is drawn for many at a time.
function entropy(): Uint8Array {
  if (offset === pool.length) {
    randomFillSync(pool);
    offset = 0;
  }
  offset += ENTROPY_BYTES;
  return pool.slice(offset - ENTROPY_BYTES, offset);
}

/** A new TypeID: `<prefix>_` and 26 characters, a UUIDv7 inside. */
export function newId(prefix: string): string {
  return fromUUIDBytes(prefix, v7({ random: entropy() }, new Uint8Array(16)));
}

/** Whether the text can be an identifier with this prefix; one that can't is answered as an unknown one. */
export function isId(prefix: string, text: string): boolean {
  return text.startsWith(`${prefix}_`) && SUFFIX.test(text.slice(prefix.length + 1));
}
