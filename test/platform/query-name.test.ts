import { defineEntity, p } from "@mikro-orm/core";
import { afterAll, expect, test } from "vitest";
import { IdOwner } from "../../src/identity/entities.ts";
import { insert, update } from "../../src/platform/write/change.ts";
import { openEnvironment } from "../../src/platform/db/database.ts";
import { QueryNames } from "../../src/platform/db/query-name.ts";
import { cloneDatabase } from "../support/database.ts";
import { DatabaseRows } from "../support/database-rows.ts";
import { forFile } from "../support/for-file.ts";

const COLUMNS = ["a", "b", "c", "d", "e", "f"] as const;
const Wide = defineEntity({
  name: "Wide",
  tableName: "wide",
  properties: {
    id: p.string().columnType("text").primary(),
    a: p.integer(),
    b: p.integer(),
    c: p.integer(),
    d: p.integer(),
    e: p.integer(),
    f: p.integer(),
  },
});

const { url } = await cloneDatabase();
const rows = await forFile(new DatabaseRows(url).open());
await rows.run("CREATE TABLE test.wide (id text PRIMARY KEY, a int, b int, c int, d int, e int, f int)");
await rows.run("INSERT INTO test.wide SELECT n, 0, 0, 0, 0, 0, 0 FROM generate_series(1, 8) AS n");
const environment = await openEnvironment({ url, schema: "test", entities: [IdOwner, Wide], poolMax: 1 });
afterAll(async () => await environment.orm.close());

/** The sets of columns that a caller can choose. */
const CHOICES = Array.from({ length: 2 ** COLUMNS.length - 1 }, (_, index) =>
  Object.fromEntries(
    COLUMNS.filter((_column, at) => ((index + 1) >> at) % 2 === 1).map((column) => [column, index]),
  ),
);

async function keptPlans(like: string): Promise<number> {
  const { rows: found } = await environment.pool.query<{ count: number }>(
    "SELECT count(*)::int4 AS count FROM pg_prepared_statements WHERE name LIKE $1 AND statement LIKE '%wide%'",
    [like],
  );
  return found[0]?.count ?? 0;
}

test("whatever columns callers choose to change, a connection keeps few plans, and each change is written", async () => {
  for (const set of CHOICES) {
    expect(await environment.committer.commit([update(Wide, { id: "1" }, set)], undefined)).toBe("committed");
  }
  expect(await keptPlans("commit %")).toBe(16);
  for (const set of CHOICES) {
    const ids = ["2", "3", "4", "5", "6", "7", "8"];
    const written = ids.map((id) => environment.committer.commit([update(Wide, { id }, set)], undefined));
    expect(new Set(await Promise.all(written))).toEqual(new Set(["committed"]));
  }
  expect(await keptPlans("batch %")).toBe(16);
  const last = CHOICES.length - 1;
  const each = { a: last, b: last, c: last, d: last, e: last, f: last };
  const { rows: all } = await environment.pool.query("SELECT a, b, c, d, e, f FROM wide");
  expect(all).toEqual(Array.from({ length: 8 }, () => each));
});

test("what others change keeps its plan", async () => {
  const row = insert(IdOwner, { id: "one", tenantId: "ten_1", mode: "test" });
  expect(await environment.committer.commit([row], undefined)).toBe("committed");
  const { rows: found } = await environment.pool.query(
    "SELECT FROM pg_prepared_statements WHERE name LIKE 'commit %' AND statement LIKE '%route%'",
  );
  expect(found).toHaveLength(1);
});

test("a query has one name, and a family as many as it may have", () => {
  const names = new QueryNames("n");
  const given = Array.from({ length: 20 }, (_, index) => names.of(`text ${index}`, "family").name);
  expect(given.filter((name) => name !== undefined)).toEqual(
    Array.from({ length: 16 }, (_, index) => `n ${index}`),
  );
  expect(names.of("text 3", "family")).toEqual({ name: "n 3" });
  expect(names.of("text 19", "family")).toEqual({});
  expect(names.of("other", "another family")).toEqual({ name: "n 16" });
});
