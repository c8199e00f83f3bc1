import { defineEntity, p } from "@mikro-orm/core";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { IdOwner } from "../../src/identity/entities.ts";
import { hold, insert, update, type Change } from "../../src/platform/change.ts";
import type { Claim, CommitResult } from "../../src/platform/claim.ts";
import { openEnvironment, type Environment } from "../../src/platform/database.ts";
import { cloneDatabase } from "../support/database.ts";
import { DatabaseRows } from "../support/database-rows.ts";
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

let url: string;
let environment: Environment;
let rows: DatabaseRows;
beforeAll(async () => {
  ({ url } = await cloneDatabase());
  rows = await new DatabaseRows(url).open();
  await rows.run(`CREATE TABLE test.item (id text PRIMARY KEY, status text, count integer, words text[], free json,
    ended_at timestamptz)`);
  environment = await open();
});
afterAll(async () => {
  await rows.close();
  await environment.orm.close();
});

async function open(commitBatch?: number): Promise<Environment> {
  const entities = [IdOwner, Item];
  return await openEnvironment({ url, schema: "test", entities, poolMax: 8, commitBatch });
}

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
});
