import { randomFillSync } from "node:crypto";
import { fromUUIDBytes } from "typeid-js";
import { v7 } from "uuid";

const ENTROPY_BYTES = 16;
const pool = new Uint8Array(ENTROPY_BYTES * 256);
let offset = pool.length;

/**
 * Returns a new request id: "req_" and 26 characters. Entropy is drawn for many at a time: a system call each is
 * expensive.
 */
export function newRequestId(): string {
  if (offset === pool.length) {
    randomFillSync(pool);
    offset = 0;
  }
  offset += ENTROPY_BYTES;
  const random = pool.slice(offset - ENTROPY_BYTES, offset);
  return fromUUIDBytes("req", v7({ random }, new Uint8Array(16)));
}
