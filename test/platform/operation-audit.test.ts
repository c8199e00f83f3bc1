import { create, type DescMethodUnary, type Message } from "@bufbuild/protobuf";
import { createContextValues, type HandlerContext, type UnaryRequest } from "@connectrpc/connect";
import pg from "pg";
import { afterAll, describe, expect, test } from "vitest";
import {
  CheckoutService,
  GetPayerDetailsRequestSchema,
  type GetPayerDetailsResponseSchema,
} from "../../gen/paylink/checkout/v1/checkout_pb.ts";
import {
  CreatePaymentLinkRequestSchema,
  LinksService,
  type CreatePaymentLinkResponseSchema,
} from "../../gen/paylink/links/v1/links_pb.ts";
import { IdOwner, Tenant } from "../../src/identity/entities.ts";
import { auditCalls, auditOf } from "../../src/platform/rpc/audit-trail.ts";
import { openEnvironment } from "../../src/platform/db/database.ts";
import { commitDecision } from "../../src/platform/write/decision.ts";
import { PaylinkError } from "../../src/platform/rpc/errors.ts";
import { storedOutcome } from "../../src/platform/write/idempotency.ts";
import { Operations, type UnaryImpl } from "../../src/platform/rpc/operation.ts";
import { MovableClock } from "../support/clock.ts";
import { handlerContext } from "../support/handler-context.ts";
import { cloneDatabase } from "../support/database.ts";

const clock = new MovableClock();
const { url } = await cloneDatabase();
const testing = await openEnvironment({ url, schema: "test", entities: [IdOwner, Tenant], poolMax: 4 });
const live = await openEnvironment({ url, schema: "live", entities: [IdOwner], poolMax: 1 });
const database = new pg.Pool({ connectionString: url, options: "-c search_path=test,identity" });
afterAll(async () => {
  await database.end();
  await Promise.all([testing.orm.close(), live.orm.close()]);
});

const { createPaymentLink } = LinksService.method;
const { getPayerDetails } = CheckoutService.method;

/** The operations of a process: each knows only its own requests under way. */
const newProcess = () =>
  new Operations({ clock, environments: { test: testing, live }, requireTenant: () => undefined });

/** The context of a call, with its audit if it has one. */
async function contextOf(
  method: DescMethodUnary,
  message: Message,
  headers: Record<string, string> = {},
): Promise<HandlerContext> {
  const values = createContextValues();
  const header = new Headers({ "paylink-tenant": "ten_1", "paylink-mode": "test", ...headers });
  const request: UnaryRequest = {
    stream: false,
    service: method.parent,
    requestMethod: "POST",
    url: "http://core",
    signal: new AbortController().signal,
    method,
    message,
    header,
    contextValues: values,
  };
  const pass = (() => Promise.resolve()) as never;
  await auditCalls(clock)(pass)(request);
  return handlerContext(method, header, values);
}

async function entriesOf(objectId: string): Promise<unknown[]> {
  const text = "SELECT action, object_id AS id FROM audit_entry WHERE object_id = $1";
  return (await database.query<object>(text, [objectId])).rows;
}

describe("an audited read", () => {
  type Show = UnaryImpl<typeof GetPayerDetailsRequestSchema, typeof GetPayerDetailsResponseSchema>;
  const asked = create(GetPayerDetailsRequestSchema, { paymentId: "pay_1" });
  const showing = (audit: { objectId: string } | null): Show =>
    newProcess().show(() => Promise.resolve({ response: { payer: { phone: "1" } }, audit }));

  test("has its entry before its response", async () => {
    const context = await contextOf(getPayerDetails, asked);
    expect(await showing({ objectId: "pay_shown" })(asked, context)).toEqual({ payer: { phone: "1" } });
    expect(await entriesOf("pay_shown")).toEqual([{ action: "GetPayerDetails", id: "pay_shown" }]);
  });

  test("has no entry if it shows nothing of the kind", async () => {
    const { rows: before } = await database.query("SELECT FROM audit_entry");
    await showing(null)(asked, await contextOf(getPayerDetails, asked));
    const { rows: after } = await database.query("SELECT FROM audit_entry");
    expect(after).toHaveLength(before.length);
  });

  test("has no entry if its call has none", async () => {
    const context = { ...(await contextOf(getPayerDetails, asked)), values: createContextValues() };
    expect(await showing({ objectId: "pay_apart" })(asked, context)).toEqual({ payer: { phone: "1" } });
    expect(await entriesOf("pay_apart")).toEqual([]);
  });

  test("is no operation that merely runs", async () => {
    const run: Show = newProcess().run(() => Promise.resolve({}));
    const context = await contextOf(getPayerDetails, asked);
    await expect(run(asked, context)).rejects.toThrow("GetPayerDetails does not say its audit entry");
    const apart = { ...context, values: createContextValues() };
    expect(await run(asked, apart)).toEqual({});
  });
});

test("a decision without changes has no audit entry, whatever it says", async () => {
  const asked = create(CreatePaymentLinkRequestSchema, { amount: 1n });
  const audit = auditOf(await contextOf(createPaymentLink, asked, { "paylink-actor": "usr_1" }));
  expect(audit).toBeDefined();
  await commitDecision(testing.committer, audit, { changes: [], audit: { objectId: "unchanged" } }, null);
  await commitDecision(testing.committer, audit, { changes: [] }, null);
  expect(await entriesOf("unchanged")).toEqual([]);
});

describe("a write with something to be done after it", () => {
  type Create = UnaryImpl<typeof CreatePaymentLinkRequestSchema, typeof CreatePaymentLinkResponseSchema>;
  const asked = create(CreatePaymentLinkRequestSchema, { amount: 1n });
  const made = (id: string) => ({ paymentLink: { id } });
  const decide = () => Promise.resolve({ response: made("decided"), changes: [], audit: { objectId: "" } });
  const idOf = async (run: Create, key: string): Promise<string> =>
    (await run(asked, await contextOf(createPaymentLink, asked, { "idempotency-key": key }))).paymentLink
      ?.id ?? "";

  test("is answered with what came of that, then and in replays of any process", async () => {
    const follow = () => Promise.resolve(made("followed"));
    expect(await idOf(newProcess().write({ decide, follow }), "followed")).toBe("followed");
    expect(await idOf(newProcess().write({ decide, follow }), "followed")).toBe("followed");
    expect(await idOf(newProcess().write({ decide }), "other")).toBe("decided");
    const { rows } = await database.query<object>(
      "SELECT key, is_awaited AS awaited FROM idempotency WHERE key IN ('followed', 'other') ORDER BY key",
    );
    expect(rows).toEqual([
      { key: "followed", awaited: false },
      { key: "other", awaited: false },
    ]);
  });

  test("is waited for by a replay in another process", async () => {
    const over = Promise.withResolvers<void>();
    const [decided, reached] = [Promise.withResolvers<void>(), newProcess()];
    const follow = async () => {
      decided.resolve();
      await over.promise;
      return made("followed");
    };
    const first = idOf(reached.write({ decide, follow }), "waited");
    await decided.promise;
    const second = idOf(newProcess().write({ decide, follow }), "waited");
    const { rows } = await database.query<{ awaited: boolean }>(
      "SELECT is_awaited AS awaited FROM idempotency WHERE key = 'waited'",
    );
    expect(rows).toEqual([{ awaited: true }]);
    over.resolve();
    expect(await Promise.all([first, second])).toEqual(["followed", "followed"]);
  });

  test("keeps its decided answer if its process ends before", async () => {
    const never = new Promise<never>(() => undefined);
    const reached = Promise.withResolvers<void>();
    const follow = async () => {
      reached.resolve();
      return await never;
    };
    void idOf(newProcess().write({ decide, follow }), "ended");
    await reached.promise;
    const reads: string[] = [];
    const pool = {
      query: async (query: pg.QueryConfig) => {
        reads.push(query.name ?? "");
        return await testing.pool.query(query);
      },
    };
    const stored = async () =>
      await storedOutcome(pool as pg.Pool, "ten_1", "ended", new Date(clock.nowMs()), 2);
    expect((await stored())?.response).not.toBeNull();
    expect(reads).toHaveLength(4);
    // No replay waits again for what was waited for in vain.
    await stored();
    expect(reads.slice(2)).toEqual(["keep response", "stored outcome", "stored outcome"]);
  });

  test("has one answer if it takes longer than a replay waits", async () => {
    const over = Promise.withResolvers<void>();
    const decided = Promise.withResolvers<void>();
    const follow = async () => {
      decided.resolve();
      await over.promise;
      return made("followed");
    };
    const first = idOf(newProcess().write({ decide, follow }), "paused");
    await decided.promise;
    await storedOutcome(testing.pool, "ten_1", "paused", new Date(clock.nowMs()), 1);
    const replay = async () => await idOf(newProcess().write({ decide, follow }), "paused");
    expect(await replay()).toBe("decided");
    over.resolve();
    expect(await first).toBe("decided");
    expect(await replay()).toBe("decided");
  });

  test("keeps a refusal as it is", async () => {
    const refuse = () => Promise.reject(new PaylinkError("quote_expired", "no"));
    const follow = () => Promise.resolve(made("followed"));
    await expect(idOf(newProcess().write({ decide: refuse, follow }), "refused")).rejects.toThrow("no");
    const { rows } = await database.query<{ awaited: boolean }>(
      "SELECT is_awaited AS awaited FROM idempotency WHERE key = 'refused'",
    );
    expect(rows).toEqual([{ awaited: false }]);
  });
});
