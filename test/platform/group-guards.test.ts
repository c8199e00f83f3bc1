import { defineEntity, p } from "@mikro-orm/core";
import { afterAll, describe, expect, onTestFinished, test } from "vitest";
import { IdOwner } from "../../src/identity/entities.ts";
import { hold, insert, update, type Change } from "../../src/platform/write/change.ts";
import type { Claim, CommitResult } from "../../src/platform/write/claim.ts";
import { openEnvironment, type Environment } from "../../src/platform/db/database.ts";
import { cloneDatabase } from "../support/database.ts";
import { DatabaseRows } from "../support/database-rows.ts";
import { forFile } from "../support/for-file.ts";
import { times } from "../support/replays.ts";

const AT = new Date("2026-03-02T12:00:00.123Z");
const CLIENTS = 64;

const Item = defineEntity({
  name: "Item",
  tableName: "item",
  properties: {
    id: p.string().columnType("text").primary(),
    status: p.string().columnType("text"),
    count: p.integer(),
    words: p.array().columnType("text[]").nullable(),
    free: p.json().columnType("json").nullable(),
    endedAt: p.datetime().columnType("timestamptz").nullable(),
  },
});

const { url } = await cloneDatabase();
const rows = await forFile(new DatabaseRows(url).open());
await rows.run(`CREATE TABLE test.item (id text PRIMARY KEY, status text, count integer, words text[], free json,
  ended_at timestamptz)`);
// A row's place in the table is not the order of insertion: a full page sends the next row to any page with space.
await rows.run("ALTER TABLE test.idempotency ADD COLUMN inserted bigserial");
const environment = await open();
afterAll(async () => await environment.orm.close());

async function open(commitBatch?: number): Promise<Environment> {
  const entities = [IdOwner, Item];
  return await openEnvironment({ url, schema: "test", entities, poolMax: 8, commitBatch });
}

/** A change that needs no key: its row is its claim. */
const commitKeyless = (changes: Change[], by = environment): Promise<CommitResult> =>
  by.committer.commit(changes, undefined);

function claimOf(key: string): Claim {
  const outcome = {
    fingerprint: Buffer.from(key),
    requestId: "req_1",
    response: Buffer.from("r"),
    error: null,
  };
  return { tenantId: "ten_1", key, outcome, now: AT, expiresAt: new Date(AT.getTime() + 1000) };
}

/** Makes items in the state "open". */
async function make(prefix: string, count = CLIENTS): Promise<void> {
  await rows.run(
    "INSERT INTO test.item SELECT $1 || n, 'open', 0 FROM generate_series(0, $2::int - 1) AS n",
    [prefix, count],
  );
}

/** Ends an open item, and adds a row. */
const ending = (id: string, by = id): Change[] => [
  update(Item, { id, status: "open", endedAt: null }, { status: "ended", count: 1, endedAt: AT }),
  insert(IdOwner, { id: by, tenantId: "ten_1", mode: "test" }),
];
const commit = (changes: Change[], key: string, by = environment): Promise<CommitResult> =>
  by.committer.commit(changes, undefined, claimOf(key));
const ended = (prefix: string): Promise<number> =>
  rows.count("test.item WHERE id LIKE $1 AND status = 'ended'", [`${prefix}%`]);
const owners = (prefix: string): Promise<number> =>
  rows.count("identity.route WHERE id LIKE $1", [`${prefix}%`]);
const claims = (prefix: string): Promise<number> =>
  rows.count("test.idempotency WHERE key LIKE $1", [`${prefix}%`]);
const transactions = (prefix: string): Promise<number> =>
  rows.count(`(SELECT DISTINCT xmin::text FROM test.item WHERE id LIKE $1) AS written`, [`${prefix}%`]);

describe("guarded commits at once", () => {
  test("go together; a tenth is overtaken, and no other one notices", async () => {
    await make("tenth_");
    await rows.run("UPDATE test.item SET status = 'gone' WHERE id LIKE 'tenth\\_%0'");
    const results = await times(CLIENTS, (index) => commit(ending(`tenth_${index}`), `tenth_${index}`));
    for (const [index, result] of results.entries())
      expect(result).toBe(index % 10 === 0 ? "overtaken" : "committed");
    for (const count of [ended, owners, claims]) expect(await count("tenth_")).toBe(CLIENTS - 7);
    expect(await transactions("tenth_")).toBeLessThan(8);
  });

  test("of one row: one of them changes it", async () => {
    await make("one_");
    const results = await times(CLIENTS, (index) => commit(ending("one_1", `one_${index}`), `one_${index}`));
    expect(results.filter((result) => result === "committed")).toHaveLength(1);
    expect(results.filter((result) => result === "overtaken")).toHaveLength(CLIENTS - 1);
    expect([await owners("one_"), await claims("one_")]).toEqual([1, 1]);
  });

  test("whose key is taken change nothing", async () => {
    await make("key_");
    await commit([], "key_taken");
    const results = await times(CLIENTS, (index) =>
      commit(ending(`key_${index}`), index % 10 === 0 ? "key_taken" : `key_${index}`),
    );
    expect(results.filter((result) => result === "claimed_before")).toHaveLength(7);
    for (const count of [ended, owners]) expect(await count("key_")).toBe(CLIENTS - 7);
  });

  test("that one row is held for go together, and end when it changes", async () => {
    await make("held_", 2);
    const holding = (index: number): Change[] => [
      hold(Item, { id: "held_0", status: "open", endedAt: null }),
      insert(IdOwner, { id: `held_${index}`, tenantId: "ten_1", mode: "test" }),
    ];
    const results = await times(CLIENTS, (index) => commit(holding(index), `held_${index}`));
    expect(new Set(results)).toEqual(new Set(["committed"]));
    await commit(ending("held_0", "held_end"), "held_end");
    const later = await times(8, (index) => commit(holding(100 + index), `held_${100 + index}`));
    expect(new Set(later)).toEqual(new Set(["overtaken"]));
    expect(await owners("held_")).toBe(CLIENTS + 1);
  });

  test("without a key go together too", async () => {
    await make("keyless_");
    await rows.run("UPDATE test.item SET status = 'gone' WHERE id = 'keyless_7'");
    const results = await times(CLIENTS, (index) => commitKeyless(ending(`keyless_${index}`)));
    expect(results.filter((result) => result === "committed")).toHaveLength(CLIENTS - 1);
    expect(results[7]).toBe("overtaken");
    for (const count of [ended, owners]) expect(await count("keyless_")).toBe(CLIENTS - 1);
    expect(await transactions("keyless_")).toBeLessThan(8);
  });

  test("with several guards each are whole or not at all", async () => {
    await make("left_");
    await make("right_");
    await make("kept_", 1);
    await rows.run("UPDATE test.item SET status = 'gone' WHERE id IN ('left_3', 'right_5')");
    const results = await times(CLIENTS, (index) =>
      commit(
        [
          update(Item, { id: `left_${index}`, status: "open" }, { status: "ended" }),
          hold(Item, { id: "kept_0", count: 0 }),
          update(Item, { id: `right_${index}`, status: "open" }, { status: "ended" }),
        ],
        `both_${index}`,
      ),
    );
    expect(results.flatMap((result, index) => (result === "overtaken" ? [index] : []))).toEqual([3, 5]);
    for (const count of ["left_", "right_"].map(ended)) expect(await count).toBe(CLIENTS - 2);
  });

  test("one refused by the database fails alone", async () => {
    await make("refused_");
    const results = await Promise.allSettled(
      Array.from({ length: CLIENTS }, (_, index) =>
        commit(ending(`refused_${index}`, index === 9 ? (null as never) : undefined), `refused_${index}`),
      ),
    );
    expect(results.filter(({ status }) => status === "rejected")).toHaveLength(1);
    expect(results[9]).toMatchObject({ status: "rejected", reason: { code: "23502" } });
    for (const count of [ended, owners, claims]) expect(await count("refused_")).toBe(CLIENTS - 1);
  });

  test("one whose row another transaction holds delays no other, and finds what that leaves", async () => {
    await make("locked_");
    const holder = await new DatabaseRows(url).open();
    onTestFinished(async () => await holder.close());
    await holder.run("BEGIN");
    await holder.run("UPDATE test.item SET words = '{beside}' WHERE id = 'locked_5'");
    await holder.run("UPDATE test.item SET status = 'gone' WHERE id = 'locked_6'");
    const results = Array.from({ length: CLIENTS }, (_, index) =>
      commit(ending(`locked_${index}`), `locked_${index}`),
    );
    const [held, free] = [results.slice(5, 7), results.toSpliced(5, 2)];
    expect(new Set(await Promise.all(free))).toEqual(new Set(["committed"]));
    await holder.run("COMMIT");
    expect(await Promise.all(held)).toEqual(["committed", "overtaken"]);
    expect(await rows.read("SELECT words, status FROM test.item WHERE id = 'locked_5'")).toEqual([
      { words: ["beside"], status: "ended" },
    ]);
  });

  test("two processes change each row once, and take the keys of a batch in one order", async () => {
    await make("order_", CLIENTS);
    const second = await open();
    onTestFinished(async () => await second.orm.close());
    const ids = Array.from({ length: CLIENTS }, (_, index) => `order_${index}`);
    const ask = (by: Environment, name: string) => async (id: string) =>
      await commit(ending(id, `${id} ${name}`), `${id} ${name}`, by);
    const results = await Promise.all([
      ...ids.map(ask(environment, "ours")),
      ...ids.toReversed().map(ask(second, "theirs")),
    ]);
    expect(results.filter((result) => result === "committed")).toHaveLength(ids.length);
    expect(results.filter((result) => result === "overtaken")).toHaveLength(ids.length);
    for (const count of [ended, owners, claims]) expect(await count("order_")).toBe(ids.length);
    const sql = `SELECT array_agg(key ORDER BY inserted) AS keys FROM test.idempotency
      WHERE key LIKE 'order_%' GROUP BY xmin::text`;
    const orders = (await rows.read(sql)).map(({ keys }) => keys as string[]);
    expect(orders.length).toBeLessThan(ids.length);
    for (const keys of orders) expect(keys).toEqual(keys.toSorted());
  });
});

test("a changed row is the same whether it is changed alone or with others", async () => {
  const single = await open(1);
  onTestFinished(async () => await single.orm.close());
  const others: { words: string[] | null; free: Record<string, unknown> | null; endedAt: Date | null }[] = [
    { words: ["a,b", 'say "hi"', "{}", ""], free: { z: 1e21, "": [null] }, endedAt: AT },
    { words: [], free: {}, endedAt: new Date("0001-01-01T00:00:00.000Z") },
    { words: null, free: null, endedAt: null },
  ];
  for (const prefix of ["among_", "alone_"]) await make(prefix);
  const setting = (prefix: string, index: number) =>
    update(Item, { id: `${prefix}${index}` }, { ...others[index % others.length] });
  await times(CLIENTS, (index) => commit([setting("among_", index)], `among_${index}`));
  await times(CLIENTS, (index) => commit([setting("alone_", index)], `alone_${index}`, single));
  const texts = async (prefix: string) =>
    await rows.read(
      `SELECT substr(id, 7), words::text, free::text, ended_at::text FROM test.item WHERE id LIKE $1 ORDER BY 1`,
      [`${prefix}%`],
    );
  expect(await texts("among_")).toEqual(await texts("alone_"));
  expect(await transactions("among_")).toBeLessThan(8);
  expect(await transactions("alone_")).toBe(CLIENTS);
});
