import { setTimeout as passes } from "node:timers/promises";
import type pg from "pg";
import type { Outcome } from "./claim.ts";
import { GroupedQuery } from "../db/grouped-query.ts";

/** The time for which a key's outcome is stored, in seconds. */
export const RETENTION_SECONDS = 24 * 60 * 60;

// A response that is going to be replaced is waited for so long: its process may be gone.
const AWAITED_READS = 50;
const AWAITED_READ_MS = 100;

type Stored = [
  fingerprint: Buffer,
  requestId: string,
  response: Buffer | null,
  error: Outcome["error"],
  isAwaited: boolean,
];

const STORED = new GroupedQuery<Stored>({
  name: "stored outcome",
  text: `SELECT fingerprint, request_id, response, error, is_awaited FROM idempotency
    WHERE tenant_id = $1 AND key = $2 AND expires_at > $3`,
  parameters: ["text", "text", "timestamptz"],
});

/**
 * Returns the outcome stored under a key, or undefined if none is valid at `now`. Waits for one that is going to be
 * replaced. One that was waited for in vain stays as it is from then on, as it is an answer now.
 */
export async function storedOutcome(
  pool: pg.Pool,
  tenantId: string,
  key: string,
  now: Date,
  readsMax = AWAITED_READS,
): Promise<Outcome | undefined> {
  for (let reads = 1; ; reads++) {
    const [stored] = await STORED.rows(pool, [tenantId, key, now.toISOString()]);
    if (!stored) return undefined;
    const [fingerprint, requestId, response, error, isAwaited] = stored;
    const outcome = { fingerprint, requestId, response, error };
    if (!isAwaited) return outcome;
    // It is read once more: its replacement may have been first.
    if (reads >= readsMax) await keepResponse(pool, tenantId, key, outcome);
    else await passes(AWAITED_READ_MS);
  }
}

async function keepResponse(
  pool: pg.Pool,
  tenantId: string,
  key: string,
  { requestId }: Pick<Outcome, "requestId">,
): Promise<void> {
  await pool.query({
    name: "keep response",
    text: `UPDATE idempotency SET is_awaited = false
      WHERE tenant_id = $1 AND key = $2 AND request_id = $3 AND is_awaited`,
    values: [tenantId, key, requestId],
  });
}

/**
 * Puts another response in place of the one that a request stored under its key. Returns false if the stored one is an
 * answer already: a replay did not wait any longer.
 */
export async function replaceResponse(
  pool: pg.Pool,
  {
    tenantId,
    key,
    requestId,
  }: { readonly tenantId: string; readonly key: string; readonly requestId: string },
  response: Uint8Array,
): Promise<boolean> {
  const { rowCount } = await pool.query({
    name: "replace response",
    text: `UPDATE idempotency SET response = $4, is_awaited = false
      WHERE tenant_id = $1 AND key = $2 AND request_id = $3 AND is_awaited`,
    values: [tenantId, key, requestId, response],
  });
  return rowCount === 1;
}
