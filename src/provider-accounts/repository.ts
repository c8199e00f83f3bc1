import { defined } from "../../contract/defined.ts";
import type { Clock } from "../platform/time/clock.ts";
import type { Environment } from "../platform/db/database.ts";
import { dueRows } from "../platform/work/due-table.ts";
import type { DueRows } from "../platform/work/due-work.ts";
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

/** A sweep as it is read. */
export type DueSweep = Omit<TakenSweep, "sweptTo"> & { readonly sweptToMs: string };

/** Returns the accounts' sweeps, each due for a reading. One that was taken is another worker's after `leaseSeconds`. */
export function dueSweeps({ pool }: Environment, clock: Clock, leaseSeconds: number): DueRows<DueSweep> {
  return dueRows<DueSweep>(pool, clock, {
    name: "sweeps",
    table: "provider_sweep",
    key: ["accountId", "kind"],
    due: "due_at",
    columns: {
      tenantId: "tenant_id",
      accountId: "account_id",
      kind: "kind",
      failureCount: "failure_count",
      unread: "unread",
      sweptToMs: "(extract(epoch FROM swept_to) * 1000)::bigint::text",
    },
    taken: `due_at = $1::timestamptz + interval '${leaseSeconds} seconds'`,
  });
}

export function takenSweep({ sweptToMs, ...row }: DueSweep): TakenSweep {
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

/** Notes that an account has few calls left at its provider, or none. */
export async function noteFewCalls(
  { pool }: Environment,
  { tenantId, id }: Pick<AccountRow, "tenantId" | "id">,
  now: Date,
): Promise<void> {
  await pool.query({
    name: "note few calls",
    text: `UPDATE provider_account SET few_calls_at = $3 WHERE tenant_id = $1 AND id = $2`,
    values: [tenantId, id, now],
  });
}
