import type pg from "pg";
import { inTransaction } from "./transaction.ts";

/** A row that is to be changed, as it was found: nothing holds it yet. */
export interface Found {
  readonly tenantId: string;
}

/**
 * Changes those of one tenant's rows that are as they were found and that no other transaction holds, in the order of
 * their key. Returns how many it changed.
 */
type ChangeOfTenant<Row> = (client: pg.PoolClient, tenantId: string, rows: readonly Row[]) => Promise<number>;

export interface Sweep<Row extends Found> {
  readonly pool: pg.Pool;
  /** Finds up to `limit` rows that are due, of all tenants but these. Locks none. */
  readonly find: (limit: number, exceptTenants: readonly string[]) => Promise<Row[]>;
  readonly change: ChangeOfTenant<Row>;
  /** Rows of one transaction at most. */
  readonly batch: number;
}

const FOUND_MAX = 10_000;
// What a tenant's other transactions hold is left to the next round; all others wait for it no longer than this.
const LOCK_WAIT_MS = 500;
const FAULTS_KEPT = 10;

/**
 * Changes all rows that are due, with one transaction for each tenant and batch: none holds rows of two tenants. A tenant
 * whose rows another transaction holds, or whose change fails, is left to the next round and keeps no other tenant waiting.
 * Returns how many rows were changed. Throws what failed once all other tenants were served.
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
      // Found again, they would keep the other rows from being found.
      if (result.changed === 0 || result.faults.length > 0) left.add(tenantId);
      if (result.faults.length > 0) await requireAnswer(pool, result.faults);
      faults.push(...result.faults.slice(0, FAULTS_KEPT - faults.length));
    }
  }
  if (faults.length > 0) throw faults.length === 1 ? faults[0] : new AggregateError(faults);
  return changed;
}

/** The rows of each tenant, in their order. */
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

/** Throws the fault if it is the database's and not one tenant's. */
async function requireAnswer(pool: pg.Pool, [fault]: readonly unknown[]): Promise<void> {
  await pool.query("SELECT 1").catch(() => {
    throw fault;
  });
}
