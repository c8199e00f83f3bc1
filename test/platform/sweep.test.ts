import pg from "pg";
import { beforeEach, expect, test } from "vitest";
import { sweep, type Found } from "../../src/platform/work/sweep.ts";
import { cloneDatabase } from "../support/database.ts";
import { forFile } from "../support/for-file.ts";

const BATCH = 2;
const ROWS_OF_FIND = 10 * BATCH;

interface Due extends Found {
  readonly number: number;
}

class DueRows {
  readonly pool: pg.Pool;
  /** The tenants of the changes, in their order. */
  readonly changes: string[] = [];
  finds = 0;

  constructor(pool: pg.Pool) {
    this.pool = pool;
  }

  async add(tenantId: string, count: number): Promise<void> {
    await this.pool.query("INSERT INTO due SELECT $1, generate_series(1, $2::int)", [tenantId, count]);
  }

  /** The tenants' rows come in the order of their ids. Changes of the failing tenants fail. */
  async sweep(failing: readonly string[] = []): Promise<number> {
    return await sweep<Due>({
      pool: this.pool,
      batch: BATCH,
      find: async (limit, exceptTenants) => {
        this.finds++;
        const { rows } = await this.pool.query<Due>(
          `SELECT tenant_id AS "tenantId", number FROM due WHERE tenant_id <> ALL ($2)
            ORDER BY tenant_id, number LIMIT $1`,
          [limit, exceptTenants],
        );
        return rows;
      },
      change: async (client, tenantId, rows) => {
        this.changes.push(tenantId);
        if (failing.includes(tenantId)) throw new Error(`${tenantId} fails`);
        const numbers = rows.map(({ number }) => number);
        const text = "DELETE FROM due WHERE tenant_id = $1 AND number = ANY ($2)";
        return (await client.query(text, [tenantId, numbers])).rowCount ?? 0;
      },
    });
  }

  async left(): Promise<number> {
    const { rows } = await this.pool.query<{ count: number }>("SELECT count(*)::int AS count FROM due");
    return rows[0]?.count ?? Number.NaN;
  }

  async close(): Promise<void> {
    await this.pool.end();
  }
}

const { url } = await cloneDatabase();
const { pool } = await forFile(Promise.resolve(new DueRows(new pg.Pool({ connectionString: url, max: 2 }))));
await pool.query("CREATE TABLE due (tenant_id text, number int)");
let due: DueRows;
beforeEach(async () => {
  await pool.query("TRUNCATE due");
  due = new DueRows(pool);
});

const before = (tenantId: string, other: string) =>
  due.changes.slice(0, due.changes.indexOf(other)).filter((one) => one === tenantId).length;

test("a tenant with one row comes after one batch of a tenant whose rows fill several finds", async () => {
  await due.add("a", 3 * ROWS_OF_FIND);
  await due.add("b", 1);
  expect(await due.sweep()).toBe(3 * ROWS_OF_FIND + 1);
  expect(due.changes.slice(0, 3)).toEqual(["a", "b", "a"]);
  expect(due.changes).toHaveLength(31);
  expect(await due.left()).toBe(0);
});

test("many tenants whose rows fill a find each do not hide the last one until they are done", async () => {
  const tenants = Array.from({ length: 9 }, (_, index) => `t${index}`);
  for (const tenantId of tenants) await due.add(tenantId, 2 * ROWS_OF_FIND);
  await due.add("u", 1);
  expect(await due.sweep()).toBe(9 * 2 * ROWS_OF_FIND + 1);
  expect(before("t0", "u")).toBe(10);
  expect(before("t8", "u")).toBe(1);
  expect(await due.left()).toBe(0);
});

test("a tenant whose change fails has no further turn, and the others are done", async () => {
  await due.add("a", 2 * ROWS_OF_FIND);
  await due.add("b", ROWS_OF_FIND + 1);
  await expect(due.sweep(["a"])).rejects.toThrow("a fails");
  expect(due.changes.filter((tenantId) => tenantId === "a")).toHaveLength(1);
  expect(await due.left()).toBe(2 * ROWS_OF_FIND);
});

test("rows that are few are found once", async () => {
  await due.add("a", ROWS_OF_FIND - 1);
  await due.sweep();
  expect(due.finds).toBe(1);
});
