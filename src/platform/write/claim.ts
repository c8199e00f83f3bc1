/** The outcome of an operation, as stored for replays: the response's bytes, or an error that the core decided. */
export interface Outcome {
  readonly fingerprint: Buffer;
  readonly requestId: string;
  readonly response: Uint8Array | null;
  readonly error: {
    readonly code: string;
    readonly message: string;
    readonly param: string | null;
    readonly facts?: Readonly<Record<string, string>>;
  } | null;
}

/** The claim on an idempotency key. It is stored with the outcome in the query that does the work. */
export interface Claim {
  readonly tenantId: string;
  readonly key: string;
  readonly outcome: Outcome;
  /** True: the response is going to be replaced before the first caller gets it. */
  readonly isAwaited?: boolean;
  readonly now: Date;
  readonly expiresAt: Date;
}

export type CommitResult = "committed" | "claimed_before" | "overtaken";

export const CLAIM_TABLE = "idempotency";

/** The columns of a claim's row, in the order of `claimRow`. */
export const CLAIM_COLUMNS: readonly { readonly name: string; readonly type: string }[] = [
  { name: "tenant_id", type: "text" },
  { name: "key", type: "text" },
  { name: "fingerprint", type: "bytea" },
  { name: "request_id", type: "text" },
  { name: "response", type: "bytea" },
  { name: "error", type: "json" },
  { name: "created_at", type: "timestamptz" },
  { name: "expires_at", type: "timestamptz" },
  { name: "is_awaited", type: "boolean" },
];

/** The claim of a key that has expired is replaced; any other one is left, and the insertion then returns no row. */
export const ON_CLAIMED = `ON CONFLICT (tenant_id, key) DO UPDATE SET fingerprint = excluded.fingerprint,
  request_id = excluded.request_id, response = excluded.response, error = excluded.error,
  created_at = excluded.created_at, expires_at = excluded.expires_at, is_awaited = excluded.is_awaited
WHERE idempotency.expires_at <= excluded.created_at`;

/** Inserts one claim, with a parameter for each column. */
export const CLAIM_SQL = `INSERT INTO ${CLAIM_TABLE} (${CLAIM_COLUMNS.map(({ name }) => name).join(", ")})
VALUES (${CLAIM_COLUMNS.map((_, index) => `$${index + 1}`).join(", ")})
${ON_CLAIMED}
RETURNING 1`;

/** Returns a claim's values by column. */
export function claimRow({ tenantId, key, outcome, now, expiresAt, isAwaited = false }: Claim): unknown[] {
  const { fingerprint, requestId, response, error } = outcome;
  return [tenantId, key, fingerprint, requestId, response, error, now, expiresAt, isAwaited];
}
