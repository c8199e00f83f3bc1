import type { Environment } from "../platform/database.ts";
import {
  ProviderAccount,
  ProviderSweep,
  type AccountRow,
  type SweepKind,
  type SweepRow,
} from "./entities.ts";

export async function findAccount(
  { orm }: Environment,
  tenantId: string,
  id: string,
): Promise<AccountRow | null> {
  return await orm.em.fork().findOne(ProviderAccount, { tenantId, id });
}

export async function findActive({ orm }: Environment, tenantId: string): Promise<AccountRow | null> {
  return await orm.em.fork().findOne(ProviderAccount, { tenantId, kind: "pix", state: "active" });
}

export async function findByRoute(
  { orm }: Environment,
  tenantId: string,
  callbackRoute: string,
): Promise<AccountRow | null> {
  return await orm.em.fork().findOne(ProviderAccount, { tenantId, callbackRoute });
}

export async function listAccounts({ orm }: Environment, tenantId: string): Promise<AccountRow[]> {
  return await orm.em.fork().find(ProviderAccount, { tenantId }, { orderBy: { id: "desc" } });
}

/** A callback that the provider is to be asked about. */
export interface DueCallback {
  readonly tenantId: string;
  readonly accountId: string;
  readonly bodyHash: string;
  readonly refersTo: readonly string[];
  readonly attemptCount: number;
}

/** Returns up to `limit` callbacks that are due now, except those of `exceptAccounts`. */
export async function findDueCallbacks(
  { pool }: Environment,
  now: Date,
  limit: number,
  exceptAccounts: readonly string[],
): Promise<DueCallback[]> {
  const { rows } = await pool.query<DueCallback>({
    name: "find due callbacks",
    text: `SELECT tenant_id AS "tenantId", account_id AS "accountId", body_hash AS "bodyHash",
        refers_to AS "refersTo", attempt_count AS "attemptCount"
      FROM provider_callback WHERE due_at <= $1 AND account_id <> ALL ($3) ORDER BY due_at LIMIT $2`,
    values: [now, limit, exceptAccounts],
  });
  return rows;
}

/**
 * Takes those of a tenant's callbacks that are still due and that no other transaction has locked. Another worker takes
 * them again after a while if this one fails.
 */
export async function takeDueCallbacks(
  { pool }: Environment,
  now: Date,
  tenantId: string,
  callbacks: readonly DueCallback[],
): Promise<DueCallback[]> {
  const { rows } = await pool.query<DueCallback>({
    name: "take due callbacks",
    text: `WITH due AS (
        SELECT tenant_id, account_id, body_hash FROM provider_callback
        WHERE tenant_id = $2 AND (account_id, body_hash) IN (SELECT * FROM unnest($3::text[], $4::text[]))
          AND due_at <= $1
        ORDER BY account_id, body_hash FOR UPDATE SKIP LOCKED
      )
      UPDATE provider_callback c SET attempt_count = c.attempt_count + 1,
        due_at = $1::timestamptz + interval '15 seconds' * power(2, least(c.attempt_count, 10))
      FROM due WHERE c.tenant_id = due.tenant_id AND c.account_id = due.account_id AND c.body_hash = due.body_hash
      RETURNING c.tenant_id AS "tenantId", c.account_id AS "accountId", c.body_hash AS "bodyHash",
        c.refers_to AS "refersTo", c.attempt_count AS "attemptCount"`,
    values: [
      now,
      tenantId,
      callbacks.map(({ accountId }) => accountId),
      callbacks.map(({ bodyHash }) => bodyHash),
    ],
  });
  return rows;
}

/** Records that the provider was asked about a callback, or that it is not asked any more. */
export async function endCallback(
  { pool }: Environment,
  { tenantId, accountId, bodyHash }: DueCallback,
  unknownCount: number | null,
): Promise<void> {
  await pool.query({
    name: "end callback",
    text: `UPDATE provider_callback SET due_at = NULL, unknown_count = $4
      WHERE tenant_id = $1 AND account_id = $2 AND body_hash = $3`,
    values: [tenantId, accountId, bodyHash, unknownCount],
  });
}

/** A sweep that a worker runs. */
export interface TakenSweep {
  readonly tenantId: string;
  readonly accountId: string;
  readonly kind: SweepKind;
  readonly sweptTo: Date;
  readonly failureCount: number;
}

/** Returns up to `limit` sweeps that are due now, except those of `exceptAccounts`. */
export async function findDueSweeps(
  { pool }: Environment,
  now: Date,
  limit: number,
  exceptAccounts: readonly string[],
): Promise<TakenSweep[]> {
  const { rows } = await pool.query<SweepText>({
    name: "find due sweeps",
    text: `SELECT tenant_id AS "tenantId", account_id AS "accountId", kind, failure_count AS "failureCount",
        (extract(epoch FROM swept_to) * 1000)::bigint::text AS "sweptToMs"
      FROM provider_sweep WHERE due_at <= $1 AND account_id <> ALL ($3) ORDER BY due_at LIMIT $2`,
    values: [now, limit, exceptAccounts],
  });
  return rows.map(toTaken);
}

/**
 * Takes those of a tenant's sweeps that are still due and that no other transaction has locked. Another worker takes them
 * again after `leaseSeconds` if this one fails.
 */
export async function takeDueSweeps(
  { pool }: Environment,
  now: Date,
  tenantId: string,
  sweeps: readonly Pick<TakenSweep, "accountId" | "kind">[],
  leaseSeconds: number,
): Promise<TakenSweep[]> {
  const { rows } = await pool.query<SweepText>({
    name: "take due sweeps",
    text: `WITH due AS (
        SELECT tenant_id, account_id, kind FROM provider_sweep
        WHERE tenant_id = $2 AND (account_id, kind) IN (SELECT * FROM unnest($3::text[], $4::text[]))
          AND due_at <= $1
        ORDER BY account_id, kind FOR UPDATE SKIP LOCKED
      )
      UPDATE provider_sweep s SET due_at = $1::timestamptz + interval '1 second' * $5
      FROM due WHERE s.tenant_id = due.tenant_id AND s.account_id = due.account_id AND s.kind = due.kind
      RETURNING s.tenant_id AS "tenantId", s.account_id AS "accountId", s.kind, s.failure_count AS "failureCount",
        (extract(epoch FROM s.swept_to) * 1000)::bigint::text AS "sweptToMs"`,
    values: [
      now,
      tenantId,
      sweeps.map(({ accountId }) => accountId),
      sweeps.map(({ kind }) => kind),
      leaseSeconds,
    ],
  });
  return rows.map(toTaken);
}

type SweepText = Omit<TakenSweep, "sweptTo"> & { readonly sweptToMs: string };

function toTaken({ sweptToMs, ...row }: SweepText): TakenSweep {
  return { ...row, sweptTo: new Date(Number(sweptToMs)) };
}

/** Keeps a running sweep from other workers until a time. One that is due later stays so. */
export async function renewSweep(
  { pool }: Environment,
  { tenantId, accountId, kind }: Pick<TakenSweep, "tenantId" | "accountId" | "kind">,
  until: Date,
): Promise<void> {
  await pool.query({
    name: "renew sweep",
    text: `UPDATE provider_sweep SET due_at = $4
      WHERE tenant_id = $1 AND account_id = $2 AND kind = $3 AND due_at <= $4`,
    values: [tenantId, accountId, kind, until],
  });
}

/** Records a sweep's end: its cursor never moves back. */
export async function endSweep(
  { pool }: Environment,
  { tenantId, accountId, kind }: Pick<TakenSweep, "tenantId" | "accountId" | "kind">,
  ended: { readonly sweptTo: Date; readonly dueAt: Date; readonly failureCount: number },
): Promise<void> {
  await pool.query({
    name: "end sweep",
    text: `UPDATE provider_sweep SET swept_to = greatest(swept_to, $4), due_at = $5, failure_count = $6
      WHERE tenant_id = $1 AND account_id = $2 AND kind = $3`,
    values: [tenantId, accountId, kind, ended.sweptTo, ended.dueAt, ended.failureCount],
  });
}

/** Returns true if a callback with this body was taken before. */
export async function hasCallback(
  { pool }: Environment,
  { tenantId, accountId, bodyHash }: Pick<DueCallback, "tenantId" | "accountId" | "bodyHash">,
): Promise<boolean> {
  const { rowCount } = await pool.query({
    name: "known callback",
    text: `SELECT FROM provider_callback WHERE tenant_id = $1 AND account_id = $2 AND body_hash = $3`,
    values: [tenantId, accountId, bodyHash],
  });
  return rowCount === 1;
}

/** Returns an account's sweeps. */
export async function listSweeps(
  { orm }: Environment,
  tenantId: string,
  accountId: string,
): Promise<SweepRow[]> {
  return await orm.em.fork().find(ProviderSweep, { tenantId, accountId });
}
