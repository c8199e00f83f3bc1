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
  /** In a response: the number of requests that the call counts as for rate limits. Absent: one. */
  requestCount: "paylink-request-count",
  /** The actor of a change: "usr_…" for a user, "key_…" for an API key, or "command_line". */
  actor: "paylink-actor",
  /** The user's sign-in address, percent-encoded as by encodeURIComponent. */
  actorName: "paylink-actor-name",
  /** The user's or program's network address. */
  actorAddress: "paylink-actor-address",
} as const;
