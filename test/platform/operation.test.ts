import { create, type DescMethodUnary } from "@bufbuild/protobuf";
import { setImmediate as immediate } from "node:timers/promises";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  CreateTenantRequestSchema,
  IdentityService,
  type CreateTenantResponseSchema,
} from "../../gen/paylink/identity/v1/identity_pb.ts";
import {
  CreatePaymentLinkRequestSchema,
  LinksService,
  type CreatePaymentLinkResponseSchema,
} from "../../gen/paylink/links/v1/links_pb.ts";
import { KEY_REQUIRED } from "../../contract/key-texts.ts";
import { IdOwner, Tenant } from "../../src/identity/entities.ts";
import { foundCaller } from "../../src/platform/rpc/caller.ts";
import { update, within, type Change } from "../../src/platform/write/change.ts";
import { presentedToken, namedToken } from "../../src/platform/rpc/core-access.ts";
import { openEnvironment, type Environment } from "../../src/platform/db/database.ts";
import { PaylinkError } from "../../src/platform/rpc/errors.ts";
import { writeDecided } from "../../src/platform/write/decision.ts";
import { Operations, type UnaryImpl } from "../../src/platform/rpc/operation.ts";
import { handlerContext } from "../support/handler-context.ts";
import { cloneDatabase } from "../support/database.ts";
import { MovableClock } from "../support/clock.ts";

const clock = new MovableClock();
const { createPaymentLink } = LinksService.method;
const audit = { objectId: "" };

type Create = UnaryImpl<typeof CreatePaymentLinkRequestSchema, typeof CreatePaymentLinkResponseSchema>;

let environment: Environment;
let live: Environment;
let operations: Operations;
let database: pg.Pool;
beforeAll(async () => {
  const { url } = await cloneDatabase();
  environment = await openEnvironment({ url, schema: "test", entities: [IdOwner, Tenant], poolMax: 4 });
  live = await openEnvironment({ url, schema: "live", entities: [IdOwner], poolMax: 1 });
  database = new pg.Pool({ connectionString: url, options: "-c search_path=test,identity" });
  operations = new Operations({
    clock,
    environments: { test: environment, live },
    requireTenant: () => undefined,
  });
});
afterAll(async () => {
  await database.end();
  await Promise.all([environment.orm.close(), live.orm.close()]);
});

/** Writes a link's answer under a key, by decisions of the test's own; answers its id and whether it is a replay. */
async function write(
  key: string,
  decide: () => string | PaylinkError,
  changes: () => Change[] = () => [],
): Promise<[id: string, isReplay: boolean]> {
  const headers = { "paylink-tenant": "ten_1", "paylink-mode": "test", "idempotency-key": key };
  const context = handlerContext(createPaymentLink, headers);
  const run: Create = operations.write({
    decide: () => {
      const decided = decide();
      if (decided instanceof PaylinkError) return Promise.reject(decided);
      return Promise.resolve({ response: { paymentLink: { id: decided } }, changes: changes(), audit });
    },
  });
  const answer = await run(create(CreatePaymentLinkRequestSchema, { amount: 1n }), context);
  return [answer.paymentLink?.id ?? "", context.responseHeader.get("idempotent-replay") === "true"];
}

describe("what an operation comes to is kept under its key", () => {
  test.each(["service_unavailable", "quote_fx_required"] as const)("but not %s", async (code) => {
    await expect(write(code, () => new PaylinkError(code, "Not now."))).rejects.toMatchObject({ code });
    const { rows } = await database.query("SELECT FROM idempotency WHERE key = $1", [code]);
    expect(rows).toEqual([]);
    expect(await write(code, () => "pl_1")).toEqual(["pl_1", false]);
    expect(await write(code, () => "pl_2")).toEqual(["pl_1", true]);
  });

  test("a refusal is", async () => {
    const refusal = new PaylinkError("quote_expired", "The quote has expired.");
    await expect(write("refused", () => refusal)).rejects.toMatchObject({ code: "quote_expired" });
    await expect(write("refused", () => "pl_1")).rejects.toMatchObject({
      rawMessage: "The quote has expired.",
    });
  });

  test("a fault of ours is not, and is thrown as it is", async () => {
    const fault = new TypeError("broken");
    const decide = (): string => {
      throw fault;
    };
    await expect(write("fault", decide)).rejects.toBe(fault);
    expect(await write("fault", () => "pl_1")).toEqual(["pl_1", false]);
  });
});

test("a key that was used lately is not decided again", async () => {
  let decided = 0;
  const decide = (): string => `pl_${++decided}`;
  expect(await write("again", decide)).toEqual(["pl_1", false]);
  for (let count = 0; count < 3; count++) expect(await write("again", decide)).toEqual(["pl_1", true]);
  expect(decided).toBe(1);

  // Its outcome is no more: the key is used anew.
  await database.query("DELETE FROM idempotency WHERE key = 'again'");
  expect(await write("again", decide)).toEqual(["pl_2", false]);
});

test("a write under a key is given up like any other", async () => {
  let decided = 0;
  const lost = update(IdOwner, { id: "unknown" }, { mode: "test" });
  const changes = () => (++decided < 20 ? [lost] : []);
  expect(await write("overtaken", () => "pl_1", changes)).toEqual(["pl_1", false]);
  decided = -1;
  await expect(write("given up", () => "pl_1", changes)).rejects.toMatchObject({
    code: "service_unavailable",
    message: "Too many requests change the same object: try again in a moment.",
  });
  expect(decided).toBe(19);
});

test("a change that does not say its audit entry is not written", async () => {
  const lost = update(IdOwner, { id: "nobody's" }, { mode: "test" });
  const decide = () => Promise.resolve({ response: null, changes: [lost] });
  await expect(writeDecided(environment.committer, undefined, decide)).rejects.toThrow("audit entry");
});

test("what others change twenty times meanwhile is given up, not sooner", async () => {
  let decided = 0;
  const lost = update(IdOwner, { id: "unknown" }, { mode: "test" });
  const decide = async () => {
    decided += 1;
    return await Promise.resolve({ response: decided, changes: decided < 20 ? [lost] : [], audit });
  };
  expect(await writeDecided(environment.committer, undefined, decide)).toBe(20);
  decided = -1;
  await expect(writeDecided(environment.committer, undefined, decide)).rejects.toMatchObject({
    code: "service_unavailable",
    message: "Too many requests change the same object: try again in a moment.",
  });
  expect(decided).toBe(19);
});

test("what PostgreSQL ends to resolve a deadlock is decided again, with a key and without", async () => {
  let decided = 0;
  const ended = within(async (client) => {
    if (decided === 1) await client.query("DO $$ BEGIN RAISE deadlock_detected; END $$");
  });
  const decide = () => Promise.resolve({ response: ++decided, changes: [ended], audit });
  expect(await writeDecided(environment.committer, undefined, decide)).toBe(2);
  decided = 0;
  const changes = () => {
    decided += 1;
    return [ended];
  };
  expect(await write("ended by a deadlock", () => "pl_1", changes)).toEqual(["pl_1", false]);
  expect(decided).toBe(2);
});

describe("an operation without steps to keep", () => {
  const headers = {
    "paylink-tenant": "ten_1",
    "paylink-mode": "live",
    "idempotency-key": "unkept",
    "paylink-actor": "usr_1",
  };
  const contextOf = (method: DescMethodUnary = createPaymentLink) => handlerContext(method, headers);
  const empty = create(CreatePaymentLinkRequestSchema);

  test("runs for the caller of the headers, in the caller's environment, as the token that it came with", async () => {
    const seen: unknown[] = [];
    const run: Create = operations.run((_, caller) => {
      seen.push(caller.tenantId, caller.actor, caller.environment);
      return Promise.resolve({});
    });
    await run(empty, contextOf());
    const context = contextOf();
    context.values.set(presentedToken, "ctk_1");
    await run(empty, context);
    expect(seen).toEqual(["ten_1", "usr_1", live, "ten_1", "ctk_1", live]);
  });

  test("runs for who is found otherwise, within the bounds of the token", async () => {
    const found = { tenantId: "ten_2", mode: "test" } as const;
    const run: Create = operations.run(
      (_, caller) => Promise.resolve({ paymentLink: { id: caller.tenantId } }),
      () => Promise.resolve(found),
    );
    const context = contextOf();
    expect(await run(empty, context)).toEqual({ paymentLink: { id: "ten_2" } });
    expect(context.values.get(foundCaller)).toMatchObject(found);
    const bounds = { id: "ctk_1", permissions: [], tenantId: "ten_1", mode: null, isGateway: false };
    context.values.set(namedToken, bounds);
    await expect(run(empty, context)).rejects.toMatchObject({ code: "insufficient_permission" });
  });

  test("runs beside three others of its tenant, and those of another tenant run on", async () => {
    let [running, most] = [0, 0];
    const run: Create = operations.run(async () => {
      most = Math.max(most, ++running);
      await immediate();
      running--;
      return {};
    });
    const times = async (count: number, tenant: string): Promise<number> => {
      most = 0;
      const contexts = Array.from({ length: count }, () =>
        handlerContext(createPaymentLink, { ...headers, "paylink-tenant": tenant }),
      );
      await Promise.all(contexts.map(async (context) => await run(empty, context)));
      return most;
    };
    expect(await times(9, "ten_1")).toBe(4);
    expect(await Promise.all([times(9, "ten_1"), times(9, "ten_2")])).toContain(8);
  });

  test("writes as often as it is asked, with any key", async () => {
    let decided = 0;
    const decide = () => Promise.resolve({ response: { id: String(++decided) }, changes: [] });
    const run: UnaryImpl<typeof CreateTenantRequestSchema, typeof CreateTenantResponseSchema> =
      operations.write({ decide });
    const context = contextOf(IdentityService.method.createTenant);
    for (const id of ["1", "2"])
      expect(await run(create(CreateTenantRequestSchema), context)).toEqual({ id });
  });

  test("is refused without a key that it needs, and by its check, before anything is decided", async () => {
    const decide = () => Promise.reject(new Error("decided"));
    const context = contextOf();
    context.requestHeader.delete("idempotency-key");
    const refusal = new PaylinkError("missing_idempotency_key", KEY_REQUIRED);
    await expect(operations.write({ decide })(empty, context)).rejects.toThrow(refusal);
    const bad = new PaylinkError("invalid_request", "Bad.");
    const check = () => Promise.reject(bad);
    await expect(operations.write({ check, decide })(empty, contextOf())).rejects.toBe(bad);
  });
});
