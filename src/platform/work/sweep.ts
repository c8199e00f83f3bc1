import type pg from "pg";
import { inTransaction } from "../db/transaction.ts";

/** A row found for a change, without a lock. */
export interface Found {
  readonly tenantId: string;
}

/**
 * Changes those of one tenant's rows that have not changed since they were found and that no other transaction has
 * locked, in the order of their key. Returns the number of changed rows. It takes no second connection of the pool: those
 * that wait for its locks may have all of them.
 */
type ChangeOfTenant<Row> = (client: pg.PoolClient, tenantId: string, rows: readonly Row[]) => Promise<number>;

export interface Sweep<Row extends Found> {
  readonly pool: pg.Pool;
  /** Returns up to `limit` due rows, fewer only if there are no more, except those of `exceptTenants`. Locks none. */
  readonly find: (limit: number, exceptTenants: readonly string[]) => Promise<Row[]>;
  readonly change: ChangeOfTenant<Row>;
  /** Maximum number of rows in one transaction. */
  readonly batch: number;
}

// In one find.
const BATCHES_MAX = 10;
// In one round. A find that is full excludes its tenants from the next one, so others' rows are found behind theirs.
const FINDS_MAX = 8;
// The maximum wait for a row lock of a tenant's other transactions. After it, the tenant is left to the next sweep.
const LOCK_WAIT_MS = 500;
const FAULTS_KEPT = 10;

/**
 * Changes all due rows, with one transaction for each tenant and batch: no transaction locks rows of two tenants.
 * Tenants take turns: a batch each, and a few batches each before more rows are found. A tenant with locked rows or a
 * failed change is left to the next sweep, and delays no other tenant. Returns the number of changed rows. Throws the
 * errors after all other tenants are done.
 */
export async function sweep<Row extends Found>(work: Sweep<Row>): Promise<number> {
  const left = new Set<string>();
  // The tenants that had their turns while others' rows were still to be found.
  const served = new Set<string>();
  const faults: unknown[] = [];
  let changed = 0;
  for (let isAll = false; !isAll;) {
    const round = await findRound(work, left, served);
    for (const [tenantId, result] of await changeInTurns(work, byTenant(round.rows))) {
      changed += result.changed;
      // If they were found again, they would hide the other rows.
      if (result.changed === 0 || result.faults.length > 0) left.add(tenantId);
      faults.push(...result.faults.slice(0, FAULTS_KEPT - faults.length));
    }
    isAll = round.isAll;
    if (round.isEnd) served.clear();
  }
  if (faults.length > 0) throw faults.length === 1 ? faults[0] : new AggregateError(faults);
  return changed;
}

/**
 * Finds rows, and adds their tenants to `served` if there are more. `isEnd`: all tenants with due rows were found since
 * `served` was empty. `isAll`: so were all due rows.
 */
async function findRound<Row extends Found>(
  { find, batch }: Sweep<Row>,
  left: ReadonlySet<string>,
  served: Set<string>,
): Promise<{ rows: Row[]; isEnd: boolean; isAll: boolean }> {
  const limit = batch * BATCHES_MAX;
  const rows: Row[] = [];
  for (let count = 0; count < FINDS_MAX; count++) {
    const excepted = new Set([...left, ...served]);
    const found = await find(limit, [...excepted]);
    rows.push(...found.filter(({ tenantId }) => !excepted.has(tenantId)));
    if (found.length < limit) return { rows, isEnd: true, isAll: served.size === 0 };
    for (const { tenantId } of found) served.add(tenantId);
  }
  return { rows, isEnd: false, isAll: false };
}

/** Returns the rows of each tenant, in their order. */
export function byTenant<Row extends Found>(rows: readonly Row[]): Map<string, Row[]> {
  return Map.groupBy(rows, ({ tenantId }) => tenantId);
}

interface Result {
  changed: number;
  readonly faults: unknown[];
}

/** Changes a batch of each tenant in turn, until all rows are done. A tenant's first fault ends its turns. */
async function changeInTurns<Row extends Found>(
  { pool, change, batch }: Sweep<Row>,
  rows: ReadonlyMap<string, readonly Row[]>,
): Promise<Map<string, Result>> {
  const results = new Map<string, Result>();
  const waiting = new Map(rows);
  for (let start = 0; waiting.size > 0; start += batch) {
    for (const [tenantId, own] of waiting) {
      const result = results.get(tenantId) ?? { changed: 0, faults: [] };
      results.set(tenantId, result);
      try {
        result.changed += await changeBatch(pool, tenantId, own.slice(start, start + batch), change);
        if (start + batch >= own.length) waiting.delete(tenantId);
      } catch (error) {
        await requireAnswer(pool, error);
        result.faults.push(error);
        waiting.delete(tenantId);
      }
    }
  }
  return results;
}

async function changeBatch<Row>(
  pool: pg.Pool,
  tenantId: string,
  rows: readonly Row[],
  change: ChangeOfTenant<Row>,
): Promise<number> {
  return await inTransaction(pool, async (client) => {
    await client.query(`SET LOCAL lock_timeout = ${LOCK_WAIT_MS}`);
    return await change(client, tenantId, rows);
  });
}

/** Throws the fault if the database does not answer, so that it is not one tenant's fault. */
async function requireAnswer(pool: pg.Pool, fault: unknown): Promise<void> {
  await pool.query("SELECT 1").catch(() => {
    throw fault;
  });
}
