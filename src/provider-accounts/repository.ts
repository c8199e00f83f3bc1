import { defined } from "../../contract/defined.ts";
import type { Environment } from "../platform/database.ts";
import type { Excepted } from "../platform/work-by-account.ts";
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

export async function findActive(
  { orm }: Environment,
  tenantId: string,
  kind: AccountRow["kind"],
): Promise<AccountRow | null> {
  return await orm.em.fork().findOne(ProviderAccount, { tenantId, kind, state: "active" });
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

/** A sweep that a worker runs. */
export interface TakenSweep {
  readonly tenantId: string;
  readonly accountId: string;
  readonly kind: SweepKind;
  readonly sweptTo: Date;
  readonly failureCount: number;
  readonly unread: SweepRow["unread"];
}

/** Returns up to `limit` sweeps that are due now, except those of excepted accounts and tenants. */
export async function findDueSweeps(
  { pool }: Environment,
  now: Date,
  limit: number,
  { accounts, tenants }: Excepted,
): Promise<TakenSweep[]> {
  const { rows } = await pool.query<SweepText>({
    name: "find due sweeps",
    text: `SELECT tenant_id AS "tenantId", account_id AS "accountId", kind, failure_count AS "failureCount", unread,
        (extract(epoch FROM swept_to) * 1000)::bigint::text AS "sweptToMs"
      FROM provider_sweep WHERE due_at <= $1 AND account_id <> ALL ($3) AND tenant_id <> ALL ($4)
      ORDER BY due_at LIMIT $2`,
    values: [now, limit, accounts, tenants],
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
      RETURNING s.tenant_id AS "tenantId", s.account_id AS "accountId", s.kind, s.failure_count AS "failureCount", s.unread,
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

/** Keeps a running sweep from other workers until a time. One that is due later, or has failed meanwhile, stays so. */
export async function renewSweep(
  { pool }: Environment,
  { tenantId, accountId, kind, failureCount }: Omit<TakenSweep, "sweptTo" | "unread">,
  until: Date,
): Promise<void> {
  await pool.query({
    name: "renew sweep",
    text: `UPDATE provider_sweep SET due_at = $4
      WHERE tenant_id = $1 AND account_id = $2 AND kind = $3 AND due_at <= $4 AND failure_count = $5`,
    values: [tenantId, accountId, kind, until, failureCount],
  });
}

/** Records a sweep's end: its cursor never moves back, but for returns, which are read anew each time. */
export async function endSweep(
  { pool }: Environment,
  { tenantId, accountId, kind }: Pick<TakenSweep, "tenantId" | "accountId" | "kind">,
  ended: Pick<SweepRow, "sweptTo" | "dueAt" | "failureCount" | "unread">,
): Promise<void> {
  await pool.query({
    name: "end sweep",
    text: `UPDATE provider_sweep SET due_at = $5, failure_count = $6, unread = $7,
        swept_to = CASE kind WHEN 'returns' THEN $4::timestamptz ELSE greatest(swept_to, $4) END
      WHERE tenant_id = $1 AND account_id = $2 AND kind = $3`,
    values: [
      tenantId,
      accountId,
      kind,
      ended.sweptTo,
      ended.dueAt,
      ended.failureCount,
      JSON.stringify(ended.unread),
    ],
  });
}

/** Returns an account's sweeps, or those of all accounts of a tenant. */
export async function listSweeps(
  { orm }: Environment,
  tenantId: string,
  accountId?: string,
): Promise<SweepRow[]> {
  return await orm.em.fork().find(ProviderSweep, { tenantId, ...defined({ accountId }) });
}
