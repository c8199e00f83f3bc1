import pg from "pg";
import { afterAll, describe, expect, onTestFinished, test } from "vitest";
import { IdOwner } from "../../src/identity/entities.ts";
import {
  hold,
  insert,
  insertAll,
  notify,
  update,
  within,
  type Change,
} from "../../src/platform/write/change.ts";
import type { Claim } from "../../src/platform/write/claim.ts";
import { openEnvironment } from "../../src/platform/db/database.ts";
import { cloneDatabase } from "../support/database.ts";

const AT = new Date("2026-03-02T12:00:00.123Z");

const { url } = await cloneDatabase();
const environment = await openEnvironment({ url, schema: "test", entities: [IdOwner], poolMax: 2 });
afterAll(async () => await environment.orm.close());
const database = new pg.Client({ connectionString: url, options: "-c search_path=test,identity" });
afterAll(async () => await database.end());
await database.connect();

const commit = async (changes: Change[], claim: Claim | null = null) =>
  await environment.committer.commit(changes, undefined, claim);
const route = (id: string) => ({ id, tenantId: "ten_1", mode: "test" as const });
const routesOf = async (like: string): Promise<string[]> => {
  const { rows } = await database.query<{ id: string }>("SELECT id FROM route WHERE id LIKE $1 ORDER BY id", [
    like,
  ]);
  return rows.map(({ id }) => id);
};

function claimOf(key: string, more: Partial<Claim> = {}): Claim {
  const outcome = {
    fingerprint: Buffer.from("f1"),
    requestId: "req_1",
    response: Buffer.from("r1"),
    error: null,
  };
  const expiresAt = new Date(AT.getTime() + 1000);
  return { tenantId: "ten_1", key, outcome, now: AT, expiresAt, ...more };
}

describe("a claim on a key", () => {
  const stored = async (key: string) =>
    (await database.query("SELECT * FROM idempotency WHERE key = $1", [key])).rows as unknown[];

  test("is written with its changes, and keeps all changes of another from being written", async () => {
    const changes = (name: string) => [
      insert(IdOwner, route(`claim_${name}`)),
      insertAll(IdOwner, [route(`claim_${name}_1`)]),
      hold(IdOwner, { id: "claim" }),
      update(IdOwner, { id: "claim" }, { tenantId: name }),
    ];
    await commit([insert(IdOwner, route("claim"))]);
    expect(await commit(changes("a"), claimOf("k"))).toBe("committed");
    expect(await commit(changes("b"), claimOf("k"))).toBe("claimed_before");
    expect(await commit(changes("c"))).toBe("committed");
    expect(await commit([], claimOf("k"))).toBe("claimed_before");
    expect(await routesOf("claim%")).toEqual(["claim", "claim_a", "claim_a_1", "claim_c", "claim_c_1"]);
    const { rows } = await database.query("SELECT tenant_id FROM route WHERE id = 'claim'");
    expect(rows).toEqual([{ tenant_id: "c" }]);
    expect(await commit(changes("d"), claimOf("k", { tenantId: "ten_2" }))).toBe("committed");
  });

  test("lets what is done within the commit be done once as well", async () => {
    const done: string[] = [];
    const doing = (name: string) => within(() => Promise.resolve(void done.push(name)));
    expect(await commit([doing("a"), doing("b")], claimOf("within"))).toBe("committed");
    expect(await commit([doing("c")], claimOf("within"))).toBe("claimed_before");
    expect(await commit([doing("d")])).toBe("committed");
    expect(done).toEqual(["a", "b", "d"]);
  });

  test("holds what the operation came to, until another takes it from the instant that it ends at on", async () => {
    const first = {
      fingerprint: Buffer.from("f1"),
      request_id: "req_1",
      response: Buffer.from("r1"),
      error: null,
    };
    expect(await commit([], claimOf("ends"))).toBe("committed");
    const ends = new Date(AT.getTime() + 1000);
    const times = { created_at: AT, expires_at: ends, is_awaited: false };
    expect(await stored("ends")).toEqual([{ tenant_id: "ten_1", key: "ends", ...first, ...times }]);
    const error = { code: "quote_expired", message: 'a "b"', param: null };
    const outcome = { fingerprint: Buffer.from("f2"), requestId: "req_2", response: null, error };
    const later = { outcome, expiresAt: new Date(AT.getTime() + 9000) };
    const justBefore = new Date(ends.getTime() - 1);
    expect(await commit([], claimOf("ends", { ...later, now: justBefore }))).toBe("claimed_before");
    expect(await stored("ends")).toMatchObject([first]);
    expect(await commit([], claimOf("ends", { ...later, now: ends }))).toBe("committed");
    expect(await stored("ends")).toEqual([
      {
        tenant_id: "ten_1",
        key: "ends",
        fingerprint: Buffer.from("f2"),
        request_id: "req_2",
        response: null,
        error,
        created_at: ends,
        expires_at: later.expiresAt,
        is_awaited: false,
      },
    ]);
  });
});

describe("listeners are notified", () => {
  test("of each topic when it is committed, and of none when it is not", async () => {
    const received: unknown[] = [];
    const receive = ({ channel, payload }: pg.Notification): void => void received.push([channel, payload]);
    database.on("notification", receive);
    onTestFinished(() => void database.off("notification", receive));
    await database.query("LISTEN paylink_changed");
    expect(await commit([notify("a"), notify("b"), insert(IdOwner, route("told_1"))])).toBe("committed");
    expect(await commit([notify("c"), update(IdOwner, { id: "unknown" }, { mode: "test" })])).toBe(
      "overtaken",
    );
    expect(await commit([notify("d")], claimOf("notified"))).toBe("committed");
    expect(await commit([notify("e")], claimOf("notified"))).toBe("claimed_before");
    // Notifications from before the answer to this have arrived by then.
    await expect.poll(async () => (await database.query("SELECT 1"), received.length)).toBe(3);
    expect(received).toEqual(["a", "b", "d"].map((topic) => ["paylink_changed", topic]));
    await database.query("UNLISTEN paylink_changed");
  });
});
