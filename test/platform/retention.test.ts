import pg from "pg";
import { afterAll, afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Environment } from "../../src/platform/db/database.ts";
import { removeByTenant, removeInBatches, removePastKeys } from "../../src/platform/work/retention.ts";
import { MovableClock } from "../support/clock.ts";
import { cloneDatabase } from "../support/database.ts";

const UNTIL = new Date("2020-01-01T00:00:00Z");

let pool: pg.Pool;
const { url } = await cloneDatabase();
const database = new pg.Pool({ connectionString: url, options: "-c search_path=test" });
afterAll(async () => await database.end());
beforeEach(async () => {
  await database.query("DELETE FROM idempotency");
  pool = new pg.Pool(database.options);
});
afterEach(async () => {
  await pool.end();
});

/** Keys "1" to `count` of a tenant: each ends a millisecond after the one before, the last but one at the instant. */
async function addKeys(count: number, tenantId = "ten_1"): Promise<void> {
  await database.query(
    `INSERT INTO idempotency (tenant_id, key, fingerprint, request_id, response, error, created_at, expires_at)
      SELECT $2, n, '', '', '', NULL, $1, $1::timestamptz + (n - $3::int + 1) * interval '1 millisecond'
      FROM generate_series(1, $3::int) n`,
    [UNTIL, tenantId, count],
  );
}

const left = async (): Promise<string[]> => {
  const { rows } = await database.query<{ tenant: string; key: string }>(
    "SELECT tenant_id AS tenant, key FROM idempotency ORDER BY 1, 2",
  );
  return rows.map(({ tenant, key }) => `${tenant} ${key}`);
};

/** What is done while another transaction holds a tenant's key. */
async function whileHeld<T>(tenantId: string, key: string, work: () => Promise<T>): Promise<T> {
  const holder = await database.connect();
  try {
    await holder.query("BEGIN");
    await holder.query("SELECT FROM idempotency WHERE tenant_id = $1 AND key = $2 FOR UPDATE", [
      tenantId,
      key,
    ]);
    return await work();
  } finally {
    await holder.query("ROLLBACK");
    holder.release();
  }
}

const KEY = ["tenant_id", "key"];
const removals = [
  ["of no tenant", () => removeInBatches(pool, "idempotency", KEY, "expires_at", UNTIL)],
  ["of each tenant", () => removeByTenant(pool, "idempotency", ["key", "request_id"], "expires_at", UNTIL)],
] as const;

describe.each(removals)("rows %s that are past their time", (_, remove) => {
  test("are removed up to and with the instant, and counted", async () => {
    await addKeys(3);
    await addKeys(2, "ten_2");
    expect(await remove()).toBe(3);
    expect(await left()).toEqual(["ten_1 3", "ten_2 2"]);
    expect(await remove()).toBe(0);
  });

  test.each([1000, 1001, 2002])("are removed however many there are: %d", async (count) => {
    await addKeys(count);
    expect(await remove()).toBe(count - 1);
    expect(await left()).toEqual([`ten_1 ${count}`]);
  });

  test("stay if a transaction holds them, until the next time", async () => {
    await addKeys(4);
    await addKeys(2, "ten_2");
    expect(await whileHeld("ten_1", "2", remove)).toBe(3);
    expect(await left()).toEqual(["ten_1 2", "ten_1 4", "ten_2 2"]);
    expect(await remove()).toBe(1);
    expect(await left()).toEqual(["ten_1 4", "ten_2 2"]);
  });
});

test("idempotency keys past their time are removed by the clock, each tenant's, and counted", async () => {
  const clock = new MovableClock();
  clock.stop();
  await addKeys(2);
  await addKeys(2, "ten_2");
  clock.set(new Date(UNTIL.getTime() - 1));
  expect(await removePastKeys({ pool } as Environment, clock)).toBe(0);
  clock.set(UNTIL);
  expect(await removePastKeys({ pool } as Environment, clock)).toBe(2);
  clock.set(new Date(UNTIL.getTime() + 1));
  expect(await removePastKeys({ pool } as Environment, clock)).toBe(2);
  expect(await left()).toEqual([]);
});
