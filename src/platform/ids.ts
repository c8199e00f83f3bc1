import { randomFillSync } from "node:crypto";
import { fromUUIDBytes } from "typeid-js";
import { v7 } from "uuid";

const ENTROPY_BYTES = 16;
const SUFFIX = /^[0-7][0-9a-hjkmnp-tv-z]{25}$/;

const pool = new Uint8Array(ENTROPY_BYTES * 256);
let offset = pool.length;

// One system call per id costs more than the rest of it, so random bytes are drawn for many ids at a time.
function entropy(): Uint8Array {
  if (offset === pool.length) {
    randomFillSync(pool);
    offset = 0;
  }
  offset += ENTROPY_BYTES;
  return pool.slice(offset - ENTROPY_BYTES, offset);
}

/** Returns a new TypeID: `<prefix>_` and 26 characters, which encode a UUIDv7. */
export function newId(prefix: string): string {
  return fromUUIDBytes(prefix, v7({ random: entropy() }, new Uint8Array(16)));
}

/** Returns true if the text can be an id with this prefix. Other texts are treated as unknown ids. */
export function isId(prefix: string, text: string): boolean {
  return text.startsWith(`${prefix}_`) && SUFFIX.test(text.slice(prefix.length + 1));
}
