import { afterAll, expect, test } from "vitest";
import { openEnvironment } from "../../src/platform/database.ts";
import { cloneDatabase } from "../support/database.ts";

const NAMES = 310;

const { url } = await cloneDatabase();
const { pool, orm } = await openEnvironment({ url, schema: "identity", entities: [], poolMax: 1 });
afterAll(async () => await orm.close());

const backend = async (): Promise<number> =>
  (await pool.query<{ pid: number }>("SELECT pg_backend_pid() AS pid")).rows[0]?.pid ?? 0;
const prepared = async (): Promise<number> =>
  (await pool.query<{ count: number }>("SELECT count(*)::int AS count FROM pg_prepared_statements")).rows[0]
    ?.count ?? 0;

test("a connection that has prepared very many statements is replaced, and few keep theirs", async () => {
  const first = await backend();
  for (let again = 0; again < 2 * NAMES; again++)
    await pool.query({ name: `form ${again % 10}`, text: `SELECT ${again % 10}` });
  expect([await backend(), await prepared()]).toEqual([first, 10]);
  for (let form = 0; form < NAMES; form++) await pool.query({ name: `form ${form}`, text: `SELECT ${form}` });
  expect(await backend()).not.toBe(first);
  expect(await prepared()).toBeLessThan(NAMES);
});

test("one that is in a transaction is replaced after it", async () => {
  const client = await pool.connect();
  await client.query("BEGIN");
  for (let form = 0; form < NAMES; form++)
    await client.query({ name: `form ${form}`, text: `SELECT ${form}` });
  const { rows } = await client.query<{ count: number }>(
    "SELECT count(*)::int AS count FROM pg_prepared_statements",
  );
  await client.query("COMMIT");
  client.release();
  expect(rows[0]?.count).toBe(NAMES);
  expect(await prepared()).toBe(0);
});
