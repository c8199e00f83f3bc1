import type pg from "pg";
import type { Environment } from "../platform/db/database.ts";
import { LONG_QUERY_MS } from "../platform/db/query-limits.ts";
import { inTransaction } from "../platform/db/transaction.ts";

// With the schema: the holder of this advisory lock changes its kept sums.
const SUMS_LOCK = 7_295_755;
const BATCH = 50_000;

/**
 * Keeps the sums of each tenant's lines. `ledger_unsummed` has what each query added to the lines since, by a trigger
 * in its own transaction, and one query moves it to `ledger_sum`: in every snapshot both together are the sums of the
 * lines in it, whenever they were committed and whatever time they have. No line and no sum is locked by a payment.
 */
export class LineSums {
  readonly #pool: pg.Pool;
  // The lines of before the trigger, of tenants without a new one, are looked for once.
  #isBegun = false;

  constructor({ pool }: Environment) {
    this.#pool = pool;
  }

  /**
   * Sums what was added since the last round, and all lines of tenants that have no sums. Of several workers, one does
   * it at a time. Throws the errors after all tenants are done.
   */
  async round(): Promise<void> {
    const faults: unknown[] = [];
    const begun = this.#isBegun || (await this.#sumAll(await tenantsWithoutSums(this.#pool), faults));
    const waiting = await tenantsWaiting(this.#pool);
    if (waiting.some(({ isKept }) => isKept)) await this.#add();
    const others = waiting.filter(({ isKept }) => !isKept).map(({ tenantId }) => tenantId);
    await this.#sumAll(others, faults);
    this.#isBegun = begun;
    if (faults.length > 0) throw faults.length === 1 ? faults[0] : new AggregateError(faults);
  }

  async #add(): Promise<void> {
    let count: number | undefined;
    do count = await changed(this.#pool, addNew);
    while (count === BATCH);
  }

  /** Returns true if the lines of all these tenants were summed. */
  async #sumAll(tenantIds: readonly string[], faults: unknown[]): Promise<boolean> {
    let isDone = true;
    for (const tenantId of tenantIds) {
      try {
        if (!(await sumAgain(this.#pool, tenantId))) isDone = false;
      } catch (error) {
        faults.push(error);
        isDone = false;
      }
    }
    return isDone;
  }
}

/**
 * Sums all lines of a tenant anew, from the books alone. Returns false, and does nothing, while another worker changes
 * the sums.
 */
export async function sumAgain(pool: pg.Pool, tenantId: string): Promise<boolean> {
  return (await changed(pool, async (client) => await sumWhole(client, tenantId))) !== undefined;
}

/** Runs a change of the sums alone: undefined while another worker makes one. */
async function changed(
  pool: pg.Pool,
  change: (client: pg.PoolClient) => Promise<number>,
): Promise<number | undefined> {
  return await inTransaction(
    pool,
    async (client) => {
      // A query of its own: the snapshot of the change is later than the lock, and has what its last holder did.
      const { rows } = await client.query<{ isHeld: boolean }>(
        `SELECT pg_try_advisory_xact_lock($1, hashtext(current_schema())) AS "isHeld"`,
        [SUMS_LOCK],
      );
      return rows[0]?.isHeld ? await change(client) : undefined;
    },
    LONG_QUERY_MS,
  );
}

/** Adds a batch of what is new to the sums of tenants that have them. Returns how much it was. */
async function addNew(client: pg.PoolClient): Promise<number> {
  const { rows } = await client.query<{ count: number }>({
    name: "add new lines to the sums",
    text: `WITH added AS (
        DELETE FROM ledger_unsummed WHERE ctid = ANY (ARRAY(
          SELECT u.ctid FROM ledger_unsummed u
          WHERE EXISTS (SELECT FROM ledger_sum s WHERE s.tenant_id = u.tenant_id) LIMIT $1))
        RETURNING tenant_id, account, currency, debit_minor, credit_minor
      ), summed AS (
        INSERT INTO ledger_sum AS s (tenant_id, account, currency, debit_minor, credit_minor)
        SELECT tenant_id, account, currency, sum(debit_minor), sum(credit_minor) FROM added
        GROUP BY tenant_id, account, currency
        ON CONFLICT (tenant_id, account, currency) DO UPDATE
          SET debit_minor = s.debit_minor + excluded.debit_minor, credit_minor = s.credit_minor + excluded.credit_minor
      )
      SELECT count(*)::int AS count FROM added`,
    values: [BATCH],
  });
  return rows[0]?.count ?? 0;
}

/** Makes a tenant's sums those of the lines in the query's snapshot, and drops what is new in the same one. */
async function sumWhole(client: pg.PoolClient, tenantId: string): Promise<number> {
  const { rowCount } = await client.query({
    name: "sum all lines of a tenant",
    text: `WITH whole AS (
        SELECT account, currency, sum(debit_minor) AS debit_minor, sum(credit_minor) AS credit_minor
        FROM ledger_line WHERE tenant_id = $1 GROUP BY account, currency
      ), added AS (
        DELETE FROM ledger_unsummed WHERE tenant_id = $1
      ), gone AS (
        DELETE FROM ledger_sum WHERE tenant_id = $1 AND (account, currency) NOT IN (SELECT account, currency FROM whole)
      )
      INSERT INTO ledger_sum (tenant_id, account, currency, debit_minor, credit_minor)
      SELECT $1, account, currency, debit_minor, credit_minor FROM whole
      ON CONFLICT (tenant_id, account, currency) DO UPDATE
        SET debit_minor = excluded.debit_minor, credit_minor = excluded.credit_minor`,
    values: [tenantId],
  });
  return rowCount ?? 0;
}

async function tenantsWaiting(pool: pg.Pool): Promise<{ tenantId: string; isKept: boolean }[]> {
  const { rows } = await pool.query<{ tenantId: string; isKept: boolean }>({
    name: "tenants with new lines",
    text: `SELECT tenant_id AS "tenantId", EXISTS (SELECT FROM ledger_sum s WHERE s.tenant_id = u.tenant_id) AS "isKept"
      FROM (SELECT DISTINCT tenant_id FROM ledger_unsummed) AS u`,
  });
  return rows;
}

/** Returns the tenants that have lines and no sums: reads one line of each tenant. */
async function tenantsWithoutSums(pool: pg.Pool): Promise<string[]> {
  const { rows } = await pool.query<{ tenantId: string }>({
    name: "tenants without sums",
    text: `WITH RECURSIVE t (tenant_id) AS (
        (SELECT tenant_id FROM ledger_line ORDER BY tenant_id LIMIT 1)
        UNION ALL
        SELECT (SELECT l.tenant_id FROM ledger_line l WHERE l.tenant_id > t.tenant_id ORDER BY l.tenant_id LIMIT 1)
        FROM t WHERE t.tenant_id IS NOT NULL
      )
      SELECT tenant_id AS "tenantId" FROM t
      WHERE tenant_id IS NOT NULL AND NOT EXISTS (SELECT FROM ledger_sum s WHERE s.tenant_id = t.tenant_id)`,
  });
  return rows.map(({ tenantId }) => tenantId);
}
