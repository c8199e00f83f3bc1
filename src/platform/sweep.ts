import type pg from "pg";
import { inTransaction } from "./transaction.ts";

/** A row found for a change, without a lock. */
export interface Found {
  readonly tenantId: string;
}

/**
 * Changes those of one tenant's rows that have not changed since they were found and that no other transaction has
 * locked, in the order of their key. Returns the number of changed rows.
 */
type ChangeOfTenant<Row> = (client: pg.PoolClient, tenantId: string, rows: readonly Row[]) => Promise<number>;

export interface Sweep<Row extends Found> {
  readonly pool: pg.Pool;
  /** Returns up to `limit` due rows, except those of `exceptTenants`. Locks none. */
  readonly find: (limit: number, exceptTenants: readonly string[]) => Promise<Row[]>;
  readonly change: ChangeOfTenant<Row>;
  /** Maximum number of rows in one transaction. */
  readonly batch: number;
}

const FOUND_MAX = 10_000;
// The maximum wait for a row lock of a tenant's other transactions. After it, the tenant is left to the next round.
const LOCK_WAIT_MS = 500;
const FAULTS_KEPT = 10;

/**
 * Changes all due rows, with one transaction for each tenant and batch: no transaction locks rows of two tenants. A
 * tenant with locked rows or a failed change is left to the next round, and delays no other tenant. Returns the number
 * of changed rows. Throws the errors after all other tenants are done.
 */
export async function sweep<Row extends Found>({ pool, find, change, batch }: Sweep<Row>): Promise<number> {
  const left = new Set<string>();
  const faults: unknown[] = [];
  let changed = 0;
  for (let found = FOUND_MAX; found === FOUND_MAX;) {
    const rows = await find(FOUND_MAX, [...left]);
    found = rows.length;
    for (const [tenantId, own] of byTenant(rows)) {
      const result = await changeOwn(pool, tenantId, own, batch, change);
      changed += result.changed;
      // If they were found again, they would hide the other rows.
      if (result.changed === 0 || result.faults.length > 0) left.add(tenantId);
      if (result.faults.length > 0) await requireAnswer(pool, result.faults);
      faults.push(...result.faults.slice(0, FAULTS_KEPT - faults.length));
    }
  }
  if (faults.length > 0) throw faults.length === 1 ? faults[0] : new AggregateError(faults);
  return changed;
}

/** Returns the rows of each tenant, in their order. */
export function byTenant<Row extends Found>(rows: readonly Row[]): Map<string, Row[]> {
  return Map.groupBy(rows, ({ tenantId }) => tenantId);
}

async function changeOwn<Row>(
  pool: pg.Pool,
  tenantId: string,
  rows: readonly Row[],
  batch: number,
  change: ChangeOfTenant<Row>,
): Promise<{ changed: number; faults: unknown[] }> {
  let changed = 0;
  try {
    for (let start = 0; start < rows.length; start += batch) {
      changed += await inTransaction(pool, async (client) => {
        await client.query(`SET LOCAL lock_timeout = ${LOCK_WAIT_MS}`);
        return await change(client, tenantId, rows.slice(start, start + batch));
      });
    }
    return { changed, faults: [] };
  } catch (error) {
    return { changed, faults: [error] };
  }
}

/** Throws the fault if the database does not answer, so that it is not one tenant's fault. */
async function requireAnswer(pool: pg.Pool, [fault]: readonly unknown[]): Promise<void> {
  await pool.query("SELECT 1").catch(() => {
    throw fault;
  });
}
