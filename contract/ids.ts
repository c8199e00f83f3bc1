import { randomFillSync } from "node:crypto";
import { fromUUIDBytes } from "typeid-js";
import { v7 } from "uuid";

/** What each prefix names. */
const PREFIXES = {
  aud: "an entry of the audit log",
  bac: "an account at a bank, whose files are imported",
  bdo: "a day that differs from the banking calendar",
  bki: "a bank's file that was imported",
  bkl: "a line of a bank's file",
  cs: "a checkout session",
  ctk: "a core token",
  dlv: "a delivery",
  dsp: "a dispute of a payment",
  eml: "an e-mail",
  evt: "an event",
  exc: "an exception of a payment",
  fxp: "a coverage policy",
  fxs: "a spot rate",
  inv: "an invitation",
  key: "an API key",
  le: "a legal entity",
  med: "a picture",
  pac: "an account at a payment provider",
  pay: "a payment",
  pi: "a payment intent",
  pl: "a payment link",
  prc: "a price",
  prl: "a price list",
  qt: "a quote",
  rcd: "a decision on lines that are reconciled",
  rcm: "lines that match",
  ref: "a refund, or a provider's return",
  req: "a request",
  rul: "a pricing rule",
  ses: "a user's session",
  sig: "a key that signs quotes",
  ted: "a bank transfer",
  ten: "a tenant",
  usr: "a user",
  we: "a webhook endpoint",
} as const;

export type IdPrefix = keyof typeof PREFIXES;

// 26 characters of Crockford's base 32: a UUID of version 7 in TypeID's notation.
const SUFFIX = "[0-7][0-9a-hjkmnp-tv-z]{25}";
const SUFFIX_ONLY = new RegExp(`^${SUFFIX}$`);

const ENTROPY_BYTES = 16;
const SEQUENCE_BITS = 31;
const pool = Buffer.alloc(ENTROPY_BYTES * 256);
let offset = pool.length;
// Filled and read again within one call.
const bytes = new Uint8Array(16);
let latestMs = 0;
let sequence = 0;

// One system call per id costs more than the rest of it, so random bytes are drawn for many ids at a time.
function entropy(): Buffer {
  if (offset === pool.length) {
    randomFillSync(pool);
    offset = 0;
  }
  offset += ENTROPY_BYTES;
  return pool.subarray(offset - ENTROPY_BYTES, offset);
}

/**
 * Returns a new TypeID: `<prefix>_` and 26 characters, which encode a UUIDv7. Those of one process ascend, also within
 * a millisecond and when the machine's clock goes back: of two rows of the same second, the later one sorts last.
 */
export function newId(prefix: IdPrefix): string {
  const random = entropy();
  const nowMs = Date.now();
  if (nowMs > latestMs) {
    latestMs = nowMs;
    sequence = random.readUInt32BE() >>> 2;
  } else if (++sequence === 2 ** SEQUENCE_BITS) {
    latestMs++;
    sequence = 0;
  }
  return fromUUIDBytes(prefix, v7({ random, msecs: latestMs, seq: sequence }, bytes));
}

/** Returns true if the text can be an id with this prefix. Other texts are treated as unknown ids. */
export function isId(prefix: IdPrefix, text: string): boolean {
  return text.startsWith(`${prefix}_`) && SUFFIX_ONLY.test(text.slice(prefix.length + 1));
}

/** Returns the pattern of ids with a prefix, by default with any. */
export function idPattern(prefix = "[a-z]{2,4}"): string {
  return `^${prefix}_${SUFFIX}$`;
}
