import type { Clock } from "../platform/time/clock.ts";
import type { Environment } from "../platform/db/database.ts";
import { dueRows, type DueTable } from "../platform/work/due-table.ts";
import type { DueRows } from "../platform/work/due-work.ts";
import type { AccountRow } from "./entities.ts";

// An account that had more before this bound comes down to it in a few rounds.
const REMOVED_AT_ONCE = 10_000;
// Two plans of 21 installments: each of their payments has its own callbacks.
const CHARGE_IDS_MAX = 42;
// Of one reference, and not taken up yet.
const AWAITED = `tenant_id = $1 AND account_id = $2 AND due_at IS NOT NULL AND attempt_count = 0
  AND cardinality(refers_to) = 1 AND refers_to[1] = $3`;

/** A callback that the provider is to be asked about. */
export interface DueCallback {
  readonly tenantId: string;
  readonly accountId: string;
  readonly bodyHash: string;
  readonly attemptCount: number;
  readonly createdAtMs: number;
  readonly kind: AccountRow["kind"];
}

type CallbackName = Pick<DueCallback, "tenantId" | "accountId" | "bodyHash">;

/** What a callback names. */
interface Named {
  readonly refersTo: readonly string[];
  readonly chargeIds: readonly string[];
}

/** Callbacks that the provider is to be asked about, each due for an attempt, later each time. */
const DUE_CALLBACKS: DueTable<DueCallback> = {
  name: "callbacks",
  table: "provider_callback",
  key: ["accountId", "bodyHash"],
  due: "due_at",
  columns: {
    tenantId: "tenant_id",
    accountId: "account_id",
    bodyHash: "body_hash",
    attemptCount: "attempt_count",
    createdAtMs: "(extract(epoch FROM created_at) * 1000)::float8",
    kind: `(SELECT kind FROM provider_account a
      WHERE a.tenant_id = provider_callback.tenant_id AND a.id = provider_callback.account_id)`,
  },
  taken: `attempt_count = attempt_count + 1, due_at = $1::timestamptz
    + least(interval '15 seconds' * power(2, least(attempt_count, 11)), interval '6 hours')`,
};

export function dueCallbacks({ pool }: Environment, clock: Clock): DueRows<DueCallback> {
  return dueRows(pool, clock, DUE_CALLBACKS);
}

/** Returns the references of a callback, and the ids that it and those that joined it named. */
export async function findNamed(
  { pool }: Environment,
  { tenantId, accountId, bodyHash }: CallbackName,
): Promise<Named> {
  const { rows } = await pool.query<Named>({
    name: "references of callback",
    text: `SELECT refers_to AS "refersTo", charge_ids AS "chargeIds" FROM provider_callback
      WHERE tenant_id = $1 AND account_id = $2 AND body_hash = $3`,
    values: [tenantId, accountId, bodyHash],
  });
  return rows[0] ?? { refersTo: [], chargeIds: [] };
}

/** Records that the provider was asked about a callback, or that it is not asked any more. What it refers to goes. */
export async function endCallback(
  { pool }: Environment,
  { tenantId, accountId, bodyHash }: CallbackName,
  unknownCount: number | null,
): Promise<void> {
  await pool.query({
    name: "end callback",
    text: `UPDATE provider_callback SET due_at = NULL, unknown_count = $4, refers_to = '{}', charge_ids = '{}'
      WHERE tenant_id = $1 AND account_id = $2 AND body_hash = $3`,
    values: [tenantId, accountId, bodyHash, unknownCount],
  });
}

/**
 * Lets the provider be asked about the charge of a reference from a time on, as a callback of this body would. One that
 * waits already stays as it is. Returns false if it is new and `waitingMax` wait.
 */
export async function askLater(
  { pool }: Environment,
  { tenantId, accountId, bodyHash }: CallbackName,
  reference: string,
  now: Date,
  dueAt: Date,
  waitingMax: number,
): Promise<boolean> {
  const { rows } = await pool.query<{ isWaiting: boolean }>({
    name: "ask later",
    text: `WITH asked AS (
        INSERT INTO provider_callback (tenant_id, account_id, body_hash, refers_to, attempt_count, due_at, created_at)
        SELECT $1, $2, $3, ARRAY[$4], 0, $6, $5 WHERE NOT EXISTS (SELECT FROM provider_callback
          WHERE tenant_id = $1 AND account_id = $2 AND due_at IS NOT NULL OFFSET $7 - 1)
        ON CONFLICT (tenant_id, account_id, body_hash) DO UPDATE SET refers_to = EXCLUDED.refers_to,
          attempt_count = 0, unknown_count = NULL, due_at = EXCLUDED.due_at, created_at = EXCLUDED.created_at
        WHERE provider_callback.due_at IS NULL RETURNING true)
      SELECT EXISTS (SELECT FROM asked) OR EXISTS (SELECT FROM provider_callback
        WHERE tenant_id = $1 AND account_id = $2 AND body_hash = $3 AND due_at IS NOT NULL) AS "isWaiting"`,
    values: [tenantId, accountId, bodyHash, reference, now, dueAt, waitingMax],
  });
  return rows[0]?.isWaiting ?? false;
}

/** Returns whether a callback with this body was taken before, and if the account has `openMax` open ones. */
export async function knownCallback(
  { pool }: Environment,
  { tenantId, accountId, bodyHash }: CallbackName,
  openMax: number,
): Promise<{ readonly isKnown: boolean; readonly isFull: boolean } | undefined> {
  const { rows } = await pool.query<{ isKnown: boolean; isFull: boolean }>({
    name: "known callback",
    text: `SELECT EXISTS (SELECT FROM provider_callback
          WHERE tenant_id = $1 AND account_id = $2 AND body_hash = $3) AS "isKnown",
        EXISTS (SELECT FROM provider_callback
          WHERE tenant_id = $1 AND account_id = $2 AND due_at IS NOT NULL OFFSET $4 - 1) AS "isFull"`,
    values: [tenantId, accountId, bodyHash, openMax],
  });
  return rows[0];
}

/**
 * Returns true if these are one reference, and a callback of an account that has only this one was not taken up yet: the
 * provider is then asked about it later than now. That callback has the ids of this one then, if there is room for them.
 */
export async function isAwaited(
  { pool }: Pick<Environment, "pool">,
  { tenantId, accountId }: Pick<DueCallback, "tenantId" | "accountId">,
  { refersTo, chargeIds }: Named,
): Promise<boolean> {
  const [reference = "", ...others] = refersTo;
  // What names no charge is counted, each time. Many references are not compared with those of all open callbacks.
  if (reference === "" || others.length > 0) return false;
  const values = [tenantId, accountId, reference, chargeIds];
  const { rows } = await pool.query<{ isAwaited: boolean }>({
    name: "callback that waits",
    text: `SELECT EXISTS (SELECT FROM provider_callback WHERE ${AWAITED} AND charge_ids @> $4) AS "isAwaited"`,
    values,
  });
  if (rows[0]?.isAwaited === true) return true;
  if (chargeIds.length === 0) return false;
  // One that is taken up meanwhile matches no more.
  const { rowCount } = await pool.query({
    name: "join callback that waits",
    text: `UPDATE provider_callback SET charge_ids = charge_ids || $4::text[]
      WHERE ${AWAITED} AND cardinality(charge_ids) + cardinality($4::text[]) <= $5`,
    values: [...values, CHARGE_IDS_MAX],
  });
  return (rowCount ?? 0) > 0;
}

/** Returns true if at least `count` callbacks of an account were stored after a time. */
export async function hasStoredSince(
  { pool }: Environment,
  { tenantId, accountId }: Pick<DueCallback, "tenantId" | "accountId">,
  since: Date,
  count: number,
): Promise<boolean> {
  const { rows } = await pool.query<{ isReached: boolean }>({
    name: "callbacks stored since",
    text: `SELECT EXISTS (SELECT FROM provider_callback
      WHERE tenant_id = $1 AND account_id = $2 AND created_at > $3 OFFSET $4 - 1) AS "isReached"`,
    values: [tenantId, accountId, since, count],
  });
  return rows[0]?.isReached ?? false;
}

/** Removes the oldest answered callbacks of accounts that have more than `kept`. Returns the number of removed rows. */
export async function removeSurplusCallbacks({ pool }: Environment, kept: number): Promise<number> {
  const { rows } = await pool.query<{ tenantId: string; accountId: string }>({
    name: "find surplus callbacks",
    text: `SELECT tenant_id AS "tenantId", account_id AS "accountId" FROM provider_callback
      WHERE due_at IS NULL GROUP BY tenant_id, account_id HAVING count(*) > $1`,
    values: [kept],
  });
  let removed = 0;
  for (const { tenantId, accountId } of rows) {
    const { rowCount } = await pool.query({
      name: "remove surplus callbacks",
      text: `DELETE FROM provider_callback WHERE (tenant_id, account_id, body_hash) IN (
          SELECT tenant_id, account_id, body_hash FROM provider_callback
          WHERE tenant_id = $1 AND account_id = $2 AND due_at IS NULL
          ORDER BY created_at DESC OFFSET $3 LIMIT ${REMOVED_AT_ONCE}
        )`,
      values: [tenantId, accountId, kept],
    });
    removed += rowCount ?? 0;
  }
  return removed;
}
