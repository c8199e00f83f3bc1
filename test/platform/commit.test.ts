import pg from "pg";
import { afterAll, describe, expect, onTestFinished, test } from "vitest";
import { newId } from "../../contract/ids.ts";
import { IdOwner } from "../../src/identity/entities.ts";
import type { AuditRow } from "../../src/platform/rpc/audit-entry.ts";
import { hold, insert, insertAll, update, within, type Change } from "../../src/platform/write/change.ts";
import { withAdvisoryLock } from "../../src/platform/write/advisory-lock.ts";
import { openEnvironment } from "../../src/platform/db/database.ts";
import { cloneDatabase } from "../support/database.ts";

const { url } = await cloneDatabase();
const environment = await openEnvironment({ url, schema: "test", entities: [IdOwner], poolMax: 8 });
afterAll(async () => await environment.orm.close());
const database = new pg.Pool({ connectionString: url, options: "-c search_path=test,identity" });
afterAll(async () => await database.end());

const entryOf = (tenantId: string): AuditRow => ({
  tenantId,
  id: newId("aud"),
  createdAt: new Date(),
  actorKind: "core",
  actorId: "",
  actorName: "",
  action: "Test",
  mode: null,
  objectId: "",
  details: {},
  address: "",
  requestId: "",
});

describe("a commit", () => {
  const row = (id: string) => ({ id, tenantId: "ten_1", mode: "test" as const });
  const commit = async (changes: Change[], tenantId?: string) =>
    await environment.committer.commit(changes, tenantId === undefined ? undefined : entryOf(tenantId));
  const routes = async (prefix: string) =>
    (await database.query("SELECT id, mode FROM route WHERE id LIKE $1 ORDER BY id", [`${prefix}%`])).rows;

  test("writes one row or many, changes what is as expected, and nothing when one is not", async () => {
    expect(await commit([])).toBe("committed");
    expect(await commit([insert(IdOwner, row("a1")), insertAll(IdOwner, [row("a2"), row("a3")])])).toBe(
      "committed",
    );
    const changed = update(IdOwner, { id: "a1", mode: "test" }, { mode: "live" });
    expect(await commit([changed, hold(IdOwner, { id: "a2" })])).toBe("committed");
    expect(await commit([changed, insert(IdOwner, row("a4"))])).toBe("overtaken");
    expect(await commit([hold(IdOwner, { id: "a9" }), insert(IdOwner, row("a4"))])).toBe("overtaken");
    expect(await commit([insert(IdOwner, row("a4")), insert(IdOwner, row("a1"))])).toBe("overtaken");
    expect(await routes("a")).toEqual([
      { id: "a1", mode: "live" },
      { id: "a2", mode: "test" },
      { id: "a3", mode: "test" },
    ]);
  });

  test("shares its transaction with what is done within it, and is undone with it", async () => {
    const seen: unknown[] = [];
    const look = within(async (client) => {
      seen.push((await client.query("SELECT id FROM route WHERE id = 'b1'")).rows);
    });
    expect(await commit([look, insert(IdOwner, row("b1"))])).toBe("committed");
    expect(seen).toEqual([[{ id: "b1" }]]);
    const fail = within(() => Promise.reject(new TypeError("broken")));
    await expect(commit([insert(IdOwner, row("b2")), fail])).rejects.toThrow(new TypeError("broken"));
    expect(await commit([insert(IdOwner, row("b1")), look])).toBe("overtaken");
    expect(await routes("b")).toEqual([{ id: "b1", mode: "test" }]);
  });

  test("in turn sees what those before it wrote, and those of one tenant that wait leave connections to others", async () => {
    const counts: number[] = [];
    const counted = (id: string) => [
      insert(IdOwner, row(id)),
      withAdvisoryLock("a quota", async (client) => {
        const { rowCount } = await client.query("SELECT FROM route WHERE id LIKE 'turn%'");
        counts.push(rowCount ?? 0);
      }),
    ];
    const other = await database.connect();
    onTestFinished(() => other.release(true));
    await other.query("BEGIN");
    await other.query("SELECT pg_advisory_xact_lock(hashtextextended('a quota', 0))");
    const committed = Array.from(
      { length: 8 },
      async (_, index) => await commit(counted(`turn${index}`), "ten_1"),
    );
    const ofAnother = within(() => Promise.resolve());
    expect(await commit([insert(IdOwner, row("d1")), ofAnother], "ten_2")).toBe("committed");
    expect(counts).toEqual([]);
    await other.query("COMMIT");
    expect(new Set(await Promise.all(committed))).toEqual(new Set(["committed"]));
    expect(counts).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  });

  test("throws what is no race, and names a property that no column is of", async () => {
    const long = insert(IdOwner, { ...row("c1"), tenantId: null as unknown as string });
    await expect(commit([long])).rejects.toMatchObject({ code: "23502" });
    const unknown = { nothing: 1 } as object;
    await expect(commit([update(IdOwner, unknown, { mode: "test" })])).rejects.toThrow(
      "has no property nothing",
    );
  });
});
