import { expect, test } from "vitest";
import { IdOwner } from "../../src/identity/entities.ts";
import { openEnvironment } from "../../src/platform/db/database.ts";
import { GroupedQuery } from "../../src/platform/db/grouped-query.ts";
import { NO_ENTRY } from "../../src/platform/rpc/audit-trail.ts";
import { insert } from "../../src/platform/write/change.ts";
import { storedOutcome } from "../../src/platform/write/idempotency.ts";
import { cloneDatabase } from "../support/database.ts";

const AT = new Date("2026-03-02T12:00:00Z");
const outcome = { requestId: "req_1", response: Buffer.from("r"), error: null };
const claimOf = (tenantId: string, key: string, expiresAt: Date) => ({
  tenantId,
  key,
  outcome: { ...outcome, fingerprint: Buffer.from(`${tenantId} ${key}`) },
  now: AT,
  expiresAt,
});

async function open(poolMax: number) {
  const { url } = await cloneDatabase();
  return await openEnvironment({ url, schema: "test", entities: [IdOwner], poolMax });
}

test("keys that are looked up together each get their own outcome, and one that is refused fails alone", async () => {
  const { pool, committer, orm } = await open(3);
  const [later, over] = [new Date(AT.getTime() + 1000), AT];
  for (let n = 0; n < 40; n++) {
    await committer.commit([], undefined, claimOf(`ten_${n % 2}`, `k${n}`, n % 10 === 0 ? over : later));
  }
  let queries = 0;
  pool.on("acquire", () => queries++);
  const ask = async (tenantId: string, key: string) => await storedOutcome(pool, tenantId, key, AT);
  const found = Array.from({ length: 40 }, async (_, n) => await ask(`ten_${n % 2}`, `k${n}`));
  const ofOthers = Array.from({ length: 40 }, async (_, n) => await ask(`ten_${(n + 1) % 2}`, `k${n}`));
  const refused = ask("ten_0", "a\0b");
  await expect(refused).rejects.toThrow(/invalid byte sequence/);
  for (const [n, stored] of (await Promise.all(found)).entries()) {
    const expected = n % 10 === 0 ? undefined : `ten_${n % 2} k${n}`;
    expect(stored?.fingerprint.toString(), `k${n}`).toBe(expected);
    if (stored) expect(stored).toMatchObject(outcome);
  }
  expect(await Promise.all(ofOthers)).toEqual(ofOthers.map(() => undefined));
  // The batch of the refused one goes one by one.
  expect(queries).toBeLessThan(70);
  await orm.close();
});

test("commits without keys go together where there is no table of keys", async () => {
  const { url } = await cloneDatabase();
  const entities = [IdOwner];
  const { pool, committer, orm } = await openEnvironment({ url, schema: "identity", entities, poolMax: 3 });
  let queries = 0;
  pool.on("acquire", () => queries++);
  const ids = Array.from({ length: 40 }, (_, n) => `pl_${n}`);
  const owner = (id: string) => insert(IdOwner, { id, tenantId: "ten_1", mode: "test" });
  const results = await Promise.all(ids.map(async (id) => await committer.commit([owner(id)], NO_ENTRY)));
  expect(new Set(results)).toEqual(new Set(["committed"]));
  expect(queries).toBeLessThan(10);
  const { rows } = await pool.query("SELECT id FROM route WHERE id LIKE 'pl\\__' OR id LIKE 'pl\\___'");
  expect(rows).toHaveLength(40);
  await orm.close();
});

test("a query's name is never cut, also where it goes together", () => {
  const query = { text: "SELECT 1", parameters: [] };
  expect(() => new GroupedQuery({ ...query, name: "n".repeat(60) })).toThrow("at most 63 bytes");
});

test("several rows of each that asks stay in their order, and those without any get none", async () => {
  const { pool, orm } = await open(3);
  const query = new GroupedQuery<[n: number, text: string]>({
    name: "numbers below",
    text: "SELECT n, $2 || n FROM generate_series(1, $1) AS n ORDER BY n DESC LIMIT 3",
    parameters: ["int", "text"],
  });
  const found = await Promise.all(
    Array.from({ length: 20 }, async (_, n) => await query.rows(pool, [n, "x"])),
  );
  const expected = found.map((_, n) =>
    [n, n - 1, n - 2].filter((one) => one > 0).map((one) => [one, `x${one}`]),
  );
  expect(found).toEqual(expected);
  await orm.close();
});

test("what is committed before a key is looked up is found, whatever is in progress", async () => {
  const { pool, committer, orm } = await open(8);
  const later = new Date(AT.getTime() + 1000);
  const missed = await Promise.all(
    Array.from({ length: 8 }, async (_, client) => {
      let count = 0;
      for (let n = 0; n < 25; n++) {
        const key = `c${client}-${n}`;
        await committer.commit([], undefined, claimOf("ten_1", key, later));
        if (!(await storedOutcome(pool, "ten_1", key, AT))) count++;
      }
      return count;
    }),
  );
  expect(missed).toEqual(missed.map(() => 0));
  await orm.close();
});
