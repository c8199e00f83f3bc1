import { defineEntity, p } from "@mikro-orm/core";
import { randomUUID } from "node:crypto";
import { afterAll, describe, expect, onTestFinished, test } from "vitest";
import { IdOwner } from "../../src/identity/entities.ts";
import { insert, insertAll, type Change } from "../../src/platform/write/change.ts";
import type { Claim, CommitResult } from "../../src/platform/write/claim.ts";
import { openEnvironment, type Environment } from "../../src/platform/db/database.ts";
import { cloneDatabase } from "../support/database.ts";
import { DatabaseRows } from "../support/database-rows.ts";
import { forFile } from "../support/for-file.ts";
import { times } from "../support/replays.ts";

const AT = new Date("2026-03-02T12:00:00.123Z");
const CLIENTS = 64;

/** A table with every kind of column that the service's tables have. */
const Sample = defineEntity({
  name: "Sample",
  tableName: "sample",
  properties: {
    id: p.string().columnType("text").primary(),
    words: p.array().columnType("text[]"),
    count: p.integer(),
    small: p.smallint(),
    amount: p.bigint(),
    isGood: p.boolean(),
    free: p.json().columnType("json"),
    bytes: p.blob().columnType("bytea"),
    at: p.datetime().columnType("timestamptz"),
    day: p.string().columnType("date"),
    note: p.string().columnType("text").nullable(),
  },
});

const { url } = await cloneDatabase();
const rows = await forFile(new DatabaseRows(url).open());
await rows.run(`CREATE TABLE test.sample (id text PRIMARY KEY, words text[], count integer, small smallint,
  amount bigint, is_good boolean, free json, bytes bytea, at timestamptz, day date, note text)`);
// A row's place in the table is not the order of insertion: a full page sends the next row to any page with space.
await rows.run("ALTER TABLE test.idempotency ADD COLUMN inserted bigserial");
const environment = await open();
afterAll(async () => await environment.orm.close());

async function open(commitBatch?: number): Promise<Environment> {
  const entities = [IdOwner, Sample];
  return await openEnvironment({ url, schema: "test", entities, poolMax: 8, commitBatch });
}

function claimOf(key: string, more: Partial<Claim> = {}): Claim {
  const outcome = {
    fingerprint: Buffer.from(key),
    requestId: "req_1",
    response: Buffer.from("r"),
    error: null,
  };
  return { tenantId: "ten_1", key, outcome, now: AT, expiresAt: new Date(AT.getTime() + 1000), ...more };
}

const route = (id: string) => ({ id, tenantId: "ten_1", mode: "test" as const });
const owner = (id: string) => insert(IdOwner, route(id));
const commit = (changes: Change[], claim: Claim, by = environment): Promise<CommitResult> =>
  by.committer.commit(changes, undefined, claim);

/** How many transactions wrote the routes with this prefix. */
const transactions = (prefix: string): Promise<number> =>
  rows.count(`(SELECT DISTINCT xmin::text FROM identity.route WHERE id LIKE $1) AS written`, [`${prefix}%`]);
const written = (prefix: string): Promise<number> =>
  rows.count("identity.route WHERE id LIKE $1", [`${prefix}%`]);

describe("commits of new rows at once", () => {
  test("go together in a few transactions, and each has its own result", async () => {
    await commit([owner("taken")], claimOf("taken"));
    const results = await times(CLIENTS, (index) =>
      commit(
        [insertAll(IdOwner, [route(`together_${index}`), route(`together_${index}_more`)])],
        claimOf(index === 40 ? "taken" : `together_${index}`),
      ),
    );
    expect(results.filter((result) => result === "committed")).toHaveLength(CLIENTS - 1);
    expect(results[40]).toBe("claimed_before");
    expect(await written("together_")).toBe(2 * (CLIENTS - 1));
    expect(await transactions("together_")).toBeLessThan(8);
  });

  test("go one by one where a batch is one", async () => {
    const single = await open(1);
    onTestFinished(async () => await single.orm.close());
    await times(8, (index) => commit([owner(`single_${index}`)], claimOf(`single_${index}`), single));
    expect(await transactions("single_")).toBe(8);
  });

  test("a tenth is refused by the database, and no other one notices", async () => {
    await commit([owner("owned")], claimOf("owned"));
    const results = await Promise.allSettled(
      Array.from({ length: CLIENTS }, (_, index) => {
        const isBad = index % 10 === 0;
        const bad = index % 20 === 0 ? owner("owned") : owner(null as unknown as string);
        return commit([owner(`tenth_${index}`), ...(isBad ? [bad] : [])], claimOf(`tenth_${index}`));
      }),
    );
    for (const [index, result] of results.entries()) {
      if (index % 10 > 0) expect(result).toEqual({ status: "fulfilled", value: "committed" });
      else if (index % 20 === 0) expect(result).toEqual({ status: "fulfilled", value: "overtaken" });
      else expect(result).toMatchObject({ status: "rejected", reason: { code: "23502" } });
    }
    expect(await written("tenth_")).toBe(CLIENTS - 7);
    expect(await rows.count("test.idempotency WHERE key LIKE 'tenth_%'")).toBe(CLIENTS - 7);
  });

  test("one whose values JSON cannot have fails alone", async () => {
    const circular: Record<string, unknown> = {};
    circular["self"] = circular;
    const bad = insert(Sample, { ...sample("circular"), free: circular });
    const results = await Promise.allSettled(
      Array.from({ length: 16 }, (_, index) =>
        commit([index === 9 ? bad : owner(`circular_${index}`)], claimOf(`circular_${index}`)),
      ),
    );
    expect(results.filter(({ status }) => status === "rejected")).toHaveLength(1);
    expect(await written("circular_")).toBe(15);
  });

  test("one key at once is won once, and a key that has expired is won again", async () => {
    const past = claimOf("expired", { now: new Date(0), expiresAt: new Date(1) });
    await commit([], past);
    const results = await times(CLIENTS, (index) =>
      commit([owner(`key_${index}`)], claimOf(index % 2 === 0 ? "expired" : "one")),
    );
    expect(results.filter((result) => result === "committed")).toHaveLength(2);
    expect(await written("key_")).toBe(2);
  });

  test("a key that another transaction holds delays no other", async () => {
    const holder = await new DatabaseRows(url).open();
    onTestFinished(async () => await holder.close());
    await holder.run("BEGIN");
    await holder.run(
      `INSERT INTO test.idempotency (tenant_id, key, fingerprint, request_id, response, created_at, expires_at)
        VALUES ('ten_1', 'held', '', 'req_0', '', now(), now() + interval '1 day')`,
    );
    let isHeldSettled = false;
    const held = times(3, async (index) => {
      const result = await commit([owner(`held_${index}`)], claimOf("held"));
      isHeldSettled = true;
      return result;
    });
    const free = await times(CLIENTS, (index) => commit([owner(`free_${index}`)], claimOf(`free_${index}`)));
    expect(new Set(free)).toEqual(new Set(["committed"]));
    expect(isHeldSettled).toBe(false);
    await holder.run("COMMIT");
    expect(await held).toEqual(["claimed_before", "claimed_before", "claimed_before"]);
  });

  test("two processes take the keys of a batch in one order, and win each key once", async () => {
    const second = await open();
    onTestFinished(async () => await second.orm.close());
    const numbers = Array.from({ length: 4 * CLIENTS }, (_, index) => 100 + index);
    const ask = (by: Environment) => async (number: number) =>
      await commit([owner(randomUUID())], claimOf(`order_${number}`), by);
    const [ours, theirs] = await Promise.all([
      Promise.all(numbers.map(ask(environment))),
      Promise.all(numbers.toReversed().map(ask(second))),
    ]);
    expect([...ours, ...theirs].filter((result) => result === "committed")).toHaveLength(numbers.length);
    const sql = `SELECT array_agg(key ORDER BY inserted) AS keys FROM test.idempotency
      WHERE key LIKE 'order_%' GROUP BY xmin::text`;
    for (const { keys } of await rows.read(sql)) {
      expect(keys).toEqual((keys as string[]).toSorted());
    }
  });

  test("large ones share a query up to its bound", async () => {
    const note = "n".repeat(400_000);
    await times(12, (index) =>
      commit(
        [owner(`large_${index}`), insert(Sample, { ...sample(`large_${index}`), note })],
        claimOf(`large_${index}`),
      ),
    );
    expect(await written("large_")).toBe(12);
    expect(await transactions("large_")).toBeGreaterThanOrEqual(4);
  });
});

const sample = (id: string) => ({
  id,
  words: ["a,b", 'say "hi"', "{}", "\\", "ü😀", ""],
  count: -2_147_483_648,
  small: 32_767,
  amount: 9_223_372_036_854_775_807n,
  isGood: true,
  free: { z: 1e21, a: [0.1, -0, null, "\u2028"], "": {}, text: String.raw`\n"` } as Record<string, unknown>,
  bytes: Buffer.from([0, 1, 254, 255]),
  at: AT,
  day: "2026-02-28",
  note: null as string | null,
});

test("a row is the same to the byte whether it is written alone or with others", async () => {
  const others = [
    sample("x"),
    { ...sample("x"), words: [], bytes: Buffer.alloc(0), free: {}, note: "", amount: -1n, isGood: false },
    { ...sample("x"), at: new Date("0001-01-01T00:00:00.000Z"), day: "9999-12-31", note: "a\tb\r\n\\x00" },
    { ...sample("x"), at: new Date("9999-12-31T23:59:59.999Z"), free: { long: "j".repeat(5000) } },
  ];
  const single = await open(1);
  onTestFinished(async () => await single.orm.close());
  const error = { code: "invalid_request", message: 'a "b"\\', param: null, facts: { a: "1" } };
  const outcome = { ...claimOf("x").outcome, response: null, error };
  for (const [index, other] of others.entries()) {
    await commit(
      [insert(Sample, { ...other, id: `alone_${index}` })],
      claimOf(`alone_${index}`, { outcome }),
      single,
    );
  }
  await times(CLIENTS, (index) => {
    const other = others[index % others.length] as ReturnType<typeof sample>;
    const id = `among_${index}`;
    return commit([insert(Sample, { ...other, id })], claimOf(id, { outcome }));
  });
  const texts = async (prefix: string) =>
    await rows.read(
      `SELECT DISTINCT words::text, count, small, amount::text, is_good, free::text, bytes, at::text, day::text, note
        FROM test.sample WHERE id LIKE $1 ORDER BY 1, 4, 6, 8`,
      [`${prefix}%`],
    );
  expect(await texts("among_")).toEqual(await texts("alone_"));
  const claims = async (prefix: string) =>
    await rows.read(
      `SELECT DISTINCT tenant_id, request_id, response, error::text, created_at::text, expires_at::text, is_awaited
        FROM test.idempotency WHERE key LIKE $1`,
      [`${prefix}%`],
    );
  expect(await claims("among_")).toEqual(await claims("alone_"));
});
