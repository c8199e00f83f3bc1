import { isUtf8 } from "node:buffer";

/** The names of headers that both sides of the wire write or read. */
export const HEADERS = {
  tenant: "paylink-tenant",
  mode: "paylink-mode",
  requestId: "paylink-request-id",
  /** The request's id as clients of REST see it. */
  publicRequestId: "x-request-id",
  idempotencyKey: "idempotency-key",
  /** Carries a key that is not of printable ASCII alone between processes, percent-encoded: HTTP clients alter it else. */
  encodedIdempotencyKey: "paylink-idempotency-key",
  idempotentReplay: "idempotent-replay",
  retryAfter: "retry-after",
  rateLimit: "ratelimit-limit",
  rateRemaining: "ratelimit-remaining",
  rateReset: "ratelimit-reset",
  /** In a response: the number of requests that the call counts as for rate limits. Absent: one. */
  requestCount: "paylink-request-count",
  /** The actor of a change: "usr_…" for a user, "key_…" for an API key, or "command_line". */
  actor: "paylink-actor",
  /** The user's sign-in address, percent-encoded as by encodeURIComponent. */
  actorName: "paylink-actor-name",
  /** The user's or program's network address. */
  actorAddress: "paylink-actor-address",
} as const;

/**
 * The headers of a call to the core. Their names are ours and in lower case: Node's own class checks each name and value,
 * which costs more than the rest of a call within one process. A transport to another process does check them.
 */
export class CallHeaders implements Headers {
  readonly #values = new Map<string, string>();

  constructor(values: Readonly<Record<string, string>> = {}) {
    for (const name in values) this.#values.set(name, values[name] as string);
  }

  get(name: string): string | null {
    return this.#values.get(name) ?? this.#values.get(name.toLowerCase()) ?? null;
  }

  has(name: string): boolean {
    return this.get(name) !== null;
  }

  set(name: string, value: string): void {
    this.#values.set(name.toLowerCase(), value);
  }

  append(name: string, value: string): void {
    const before = this.get(name);
    this.set(name, before === null ? value : `${before}, ${value}`);
  }

  delete(name: string): void {
    this.#values.delete(name.toLowerCase());
  }

  forEach(visit: (value: string, name: string, headers: Headers) => void, self?: unknown): void {
    for (const [name, value] of this.#values) visit.call(self, value, name, this);
  }

  /** There are no cookies in a call. */
  getSetCookie(): string[] {
    return [];
  }

  keys() {
    return this.#values.keys();
  }

  values() {
    return this.#values.values();
  }

  entries() {
    return this.#values.entries();
  }

  [Symbol.iterator]() {
    return this.#values.entries();
  }
}

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
