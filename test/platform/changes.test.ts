import pg from "pg";
import { afterAll, describe, expect, test } from "vitest";
import { CoreToken, IdOwner } from "../../src/identity/entities.ts";
import { PaymentIntent } from "../../src/ledger/entities.ts";
import { AuditEntry } from "../../src/platform/rpc/audit-entry.ts";
import { hold, insert, insertAll, update, within, type Change } from "../../src/platform/write/change.ts";
import { openEnvironment } from "../../src/platform/db/database.ts";
import { inTransaction } from "../../src/platform/db/transaction.ts";
import { cloneDatabase } from "../support/database.ts";

const AT = new Date("2026-03-02T12:00:00.123Z");

const { url } = await cloneDatabase();
const environment = await openEnvironment({
  url,
  schema: "test",
  entities: [IdOwner, CoreToken, PaymentIntent],
  poolMax: 2,
});
afterAll(async () => await environment.orm.close());
const database = new pg.Client({ connectionString: url, options: "-c search_path=test,identity" });
afterAll(async () => await database.end());
await database.connect();

const commit = async (changes: Change[]) => await environment.committer.commit(changes, undefined);
const token = (id: string, more: object = {}) => ({
  id,
  name: "team",
  permissions: ["a:read", 'b "c", {d}'],
  tokenHash: `hash of ${id}`,
  lastFour: "abcd",
  createdAt: AT,
  revokedAt: null,
  tenantId: null,
  mode: null,
  isGateway: false,
  ...more,
});
const entry = (id: string, details: object, more: object = {}) => ({
  tenantId: "ten_1",
  id,
  createdAt: AT,
  actorKind: "core" as const,
  actorId: "",
  actorName: "",
  action: "x",
  mode: null,
  objectId: "",
  details: details as never,
  address: "",
  requestId: "",
  ...more,
});
const route = (id: string) => ({ id, tenantId: "ten_1", mode: "test" as const });
const tokenRow = async (id: string) =>
  (await database.query("SELECT * FROM core_token WHERE id = $1", [id])).rows[0] as object | undefined;
const routesOf = async (like: string): Promise<string[]> => {
  const { rows } = await database.query<{ id: string }>("SELECT id FROM route WHERE id LIKE $1 ORDER BY id", [
    like,
  ]);
  return rows.map(({ id }) => id);
};

describe("a new row", () => {
  test("has each value in its column, and none where none is given", async () => {
    await commit([insert(CoreToken, { ...token("ctk_1"), mode: undefined })]);
    expect(await tokenRow("ctk_1")).toEqual({
      id: "ctk_1",
      name: "team",
      permissions: ["a:read", 'b "c", {d}'],
      token_hash: "hash of ctk_1",
      last_four: "abcd",
      created_at: AT,
      revoked_at: null,
      tenant_id: null,
      mode: null,
      is_gateway: false,
    });
  });

  test("and many at once hold JSON as it was given", async () => {
    const details = [[1, { a: "x" }], { a: 'x"y' }, { b: [1, null, { c: "é" }] }, [], {}];
    const [first = {}, ...rest] = details;
    const more = rest.map((each, index) => entry(`aud_${index + 1}`, each, { mode: "live" }));
    await commit([insert(AuditEntry, entry("aud_0", first)), insertAll(AuditEntry, more)]);
    const { rows } = await database.query("SELECT details, mode, created_at FROM audit_entry ORDER BY id");
    expect(rows).toEqual(
      details.map((each, index) => ({ details: each, mode: index === 0 ? null : "live", created_at: AT })),
    );
  });

  test("of the environment's own table holds JSON, or is empty there where there is none", async () => {
    const intent = {
      tenantId: "ten_1",
      quoteId: null,
      legalEntityId: "le_1",
      amountMinor: 1000n,
      currency: "BRL" as const,
      payerCountry: null,
      settlementTerm: "x",
      fxRateHistoryId: null,
      reference: null,
      createdAt: AT,
    };
    const made = [
      { ...intent, id: "pi_1", feeStrategy: { a: [1] }, metadata: {} },
      { ...intent, id: "pi_2", feeStrategy: null, metadata: { b: null } },
    ];
    await commit(made.map((row) => insert(PaymentIntent, row)));
    const { rows } = await database.query(
      "SELECT id, fee_strategy, fee_strategy IS NULL AS none, metadata FROM test.payment_intent ORDER BY id",
    );
    expect(rows).toEqual([
      { id: "pi_1", fee_strategy: { a: [1] }, none: false, metadata: {} },
      { id: "pi_2", fee_strategy: null, none: true, metadata: { b: null } },
    ]);
  });

  test("is none of no rows, beside another that is", async () => {
    expect(await commit([insertAll(IdOwner, [])])).toBe("committed");
    expect(await commit([insertAll(IdOwner, []), insert(IdOwner, route("none_1"))])).toBe("committed");
    expect(await routesOf("none_%")).toEqual(["none_1"]);
  });
});

describe("a change of a row", () => {
  test("is made where a column is empty, or has the value, and not otherwise", async () => {
    await commit([insert(CoreToken, token("ctk_2"))]);
    const revoke = update(CoreToken, { id: "ctk_2", revokedAt: null }, { revokedAt: AT });
    expect(await commit([hold(CoreToken, { id: "ctk_2", revokedAt: AT })])).toBe("overtaken");
    expect(await commit([hold(CoreToken, { id: "ctk_2", revokedAt: null }), revoke])).toBe("committed");
    expect(await commit([revoke])).toBe("overtaken");
    expect(await commit([hold(CoreToken, { id: "ctk_2", revokedAt: null })])).toBe("overtaken");
    const back = update(CoreToken, { id: "ctk_2", revokedAt: AT }, { revokedAt: null, name: "again" });
    expect(await commit([back])).toBe("committed");
    expect(await tokenRow("ctk_2")).toMatchObject({ revoked_at: null, name: "again" });
  });

  test("is of its own columns, with any others changed before and beside it", async () => {
    const sets = [{ name: "n" }, { lastFour: "l" }, { mode: "live" }, { revokedAt: AT }] as const;
    // Each set of columns with each, alone and two at a time.
    const chosen = Array.from({ length: 15 }, (_, index) =>
      Object.assign({}, ...sets.filter((_set, bit) => ((index + 1) & (1 << bit)) !== 0)),
    ) as object[];
    await commit([insert(CoreToken, token("ctk_3")), insert(CoreToken, token("ctk_4"))]);
    for (const set of chosen)
      expect(await commit([update(CoreToken, { id: "ctk_3" }, set)])).toBe("committed");
    for (const first of chosen) {
      for (const second of chosen) {
        const changes = [
          update(CoreToken, { id: "ctk_3" }, { ...first, name: "1" }),
          update(CoreToken, { id: "ctk_4" }, { ...second, lastFour: "2" }),
        ];
        expect(await commit(changes)).toBe("committed");
      }
    }
    const all = { revoked_at: AT, mode: "live" };
    expect(await tokenRow("ctk_3")).toMatchObject({ ...all, name: "1", last_four: "l" });
    expect(await tokenRow("ctk_4")).toMatchObject({ ...all, name: "n", last_four: "2" });
    const wheres = [
      { name: "1" },
      { lastFour: "l" },
      { name: "1", lastFour: "l" },
      { name: "x" },
      { lastFour: "x" },
    ];
    const outcomes = [];
    for (const where of wheres) {
      outcomes.push(await commit([update(CoreToken, { id: "ctk_3", ...where }, { isGateway: true })]));
      outcomes.push(await commit([hold(CoreToken, { id: "ctk_3", ...where })]));
    }
    expect(outcomes).toEqual([...Array(6).fill("committed"), ...Array(4).fill("overtaken")]);
  });

  test("that does not exist is reported, in a transaction of the caller's by an error", async () => {
    const lost = update(IdOwner, { id: "unknown" }, { mode: "test" });
    const writing = inTransaction(environment.pool, async (client) => {
      await environment.committer.write(client, [insert(IdOwner, route("write_1"))], undefined);
      await environment.committer.write(client, [lost], undefined);
    });
    await expect(writing).rejects.toMatchObject({ code: "PL409" });
    await inTransaction(environment.pool, async (client) => {
      await environment.committer.write(client, [insert(IdOwner, route("write_2"))], undefined);
    });
    expect(await routesOf("write_%")).toEqual(["write_2"]);
  });
});

describe("an error of what is done within a commit", () => {
  const failing = (thrown: unknown) => commit([within(() => Promise.reject(thrown))]);

  test.each(["PL409", "23505"])("is another's doing where its code is %s", async (code) => {
    expect(await failing(Object.assign(new Error("raced"), { code }))).toBe("overtaken");
  });

  test.each([
    ["has another code", Object.assign(new Error("broken"), { code: "23502" })],
    ["has no code", new Error("PL409")],
    ["is no Error", { code: "PL409" }],
  ])("is thrown where it %s", async (_, error) => {
    await expect(failing(error)).rejects.toBe(error);
  });
});

test("without changes no database is asked", async () => {
  const gone = {
    url: "postgres://none@127.0.0.1:1/none",
    schema: "test",
    entities: [IdOwner],
    poolMax: 1,
  } as const;
  const nowhere = await openEnvironment(gone);
  expect(await nowhere.committer.commit([], undefined)).toBe("committed");
  await expect(nowhere.committer.commit([insert(IdOwner, route("x"))], undefined)).rejects.toThrow(
    "ECONNREFUSED",
  );
  await nowhere.orm.close();
});
