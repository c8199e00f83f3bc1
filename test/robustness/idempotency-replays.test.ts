import { createClient } from "@connectrpc/connect";
import fc from "fast-check";
import { randomUUID } from "node:crypto";
import { beforeEach, describe, expect, test } from "vitest";
import { Mode } from "../../gen/paylink/identity/v1/identity_pb.ts";
import { PricingService } from "../../gen/paylink/pricing/v1/pricing_pb.ts";
import { Api, type Answer } from "../support/api.ts";
import { DatabaseRows } from "../support/database-rows.ts";
import { expectError } from "../support/error-answer.ts";
import { forFile } from "../support/for-file.ts";
import { expectReplaysOfOne, isReplay, times } from "../support/replays.ts";
import { secondService, startService, type TestTenant } from "../support/service.ts";

const LINKS = "/v1/payment_links";
const LINK = { amount: 15_990, currency: "BRL", reference: "order-1" };
const PIX_QUOTE = { amount: 15_990, currency: "BRL", payment_method: "pix" };

let tenant: TestTenant;
let api: Api;
let other: Api;
const service = await forFile(startService("direct", { commitBatch: 1 }));
const second = await forFile(secondService(service));
const rows = await forFile(new DatabaseRows(service.databaseUrl).open());
beforeEach(async () => {
  tenant = await service.createTenant();
  api = new Api(service, tenant.testKey);
  other = new Api(second, tenant.testKey);
});

const keysKept = (): Promise<number> => rows.count("test.idempotency WHERE tenant_id = $1", [tenant.id]);

describe("A replay returns the original response byte for byte, with the header Idempotent-Replay: true", () => {
  const creations: [string, object][] = [
    [LINKS, { ...LINK, metadata: { z: 1, a: [null, { b: 1.5 }], "7": "é" } }],
    ["/v1/quotes", PIX_QUOTE],
    ["/v1/quotes", { amount: 10_000, currency: "USD" }],
    ["/v1/payment_intents", { amount: 5, currency: "USD", fee_strategy: { b: 1, a: 2 } }],
  ];
  test.each(creations)("POST %s with %j, from the same process and from another", async (url, body) => {
    const idempotencyKey = randomUUID();
    const answers = [
      await api.post(url, body, { idempotencyKey }),
      await api.post(url, body, { idempotencyKey }),
      await other.post(url, body, { idempotencyKey }),
    ];
    expect(answers.map(isReplay)).toEqual([false, true, true]);
    expectReplaysOfOne(answers, 201);
  });

  test("of an accept although the quote is consumed, of a payment although the link is completed", async () => {
    const quote = await api.post("/v1/quotes", PIX_QUOTE);
    const accept = `/v1/quotes/${quote.body.id}/accept`;
    const name = { name: "Shoes" };
    const link = await api.post(accept, name, { idempotencyKey: "accept" });
    expectReplaysOfOne([link, await other.post(accept, name, { idempotencyKey: "accept" })], 201);

    const pay = `/v1/payment_links/${link.body.id}/simulate_payment`;
    const outcome = { outcome: "succeeded" };
    const paid = await api.post(pay, outcome, { idempotencyKey: "pay" });
    expectReplaysOfOne([paid, await other.post(pay, outcome, { idempotencyKey: "pay" })], 200);
    const anew = await api.post(pay, outcome, { idempotencyKey: "pay again" });
    expectError(anew);
    const otherwise = await api.post(pay, { outcome: "failed" }, { idempotencyKey: "pay" });
    expectError(otherwise, { status: 409, code: "idempotency_key_reuse" });
  });

  test("although the exchange rate that it was made at has become too old", async () => {
    const pricing = createClient(PricingService, service.core.transport);
    const publish = async (maxAgeSeconds: bigint): Promise<unknown> =>
      await pricing.publishFxRate(
        { mode: Mode.TEST, spotMicros: 5_432_100n, maxAgeSeconds },
        service.internal,
      );
    await publish(60n);
    const link = { amount: 10_000, currency: "USD" };
    const first = await api.post(LINKS, link, { idempotencyKey: "rate" });
    service.clock.advance(60);
    const anew = await api.post(LINKS, link);
    expectError(anew, { code: "quote_fx_required" });
    const again = await api.post(LINKS, link, { idempotencyKey: "rate" });
    expectReplaysOfOne([first, again, await other.post(LINKS, link, { idempotencyKey: "rate" })], 201);
    const otherwise = await api.post(LINKS, { ...link, amount: 1 }, { idempotencyKey: "rate" });
    expectError(otherwise, { status: 409, code: "idempotency_key_reuse" });
    await publish(4_000_000_000n);
  });

  test("with any metadata", async () => {
    const metadata = fc
      .dictionary(
        fc.string({ unit: "grapheme", minLength: 1, maxLength: 8 }),
        fc.jsonValue({ maxDepth: 3, stringUnit: "grapheme" }),
        { maxKeys: 20 },
      )
      .map((value) => JSON.stringify(value))
      .filter((text) => !/\\u0000|__proto__|"svc_|\d{16}|e\+/.test(text));
    await fc.assert(
      fc.asyncProperty(metadata, async (text) => {
        const idempotencyKey = randomUUID();
        const body = `{"amount":15990,"currency":"BRL","metadata":${text}}`;
        const first = await api.post(LINKS, body, { idempotencyKey });
        expect(first.body.metadata).toEqual(JSON.parse(text));
        expectReplaysOfOne([first, await other.post(LINKS, body, { idempotencyKey })], 201);
      }),
      { numRuns: 50 },
    );
  });

  test("a refusal too, under the original request's id, from either process", async () => {
    const quote = await api.post("/v1/quotes", PIX_QUOTE);
    const accept = `/v1/quotes/${quote.body.id}/accept`;
    await api.post(accept, { name: "Shoes" });
    const refusals: [string, object, { status: number; code: string }][] = [
      [LINKS, { ...LINK, amount: 1 }, { status: 400, code: "merchant_net_not_positive" }],
      [accept, { name: "Shoes" }, { status: 400, code: "quote_consumed" }],
      ["/v1/quotes/qt_nothing/accept", { name: "Shoes" }, { status: 404, code: "quote_not_found" }],
    ];
    for (const [url, body, refusal] of refusals) {
      const idempotencyKey = randomUUID();
      const first = await api.post(url, body, { idempotencyKey });
      const again = await api.post(url, body, { idempotencyKey });
      const elsewhere = await other.post(url, body, { idempotencyKey });
      // The shape's request_id is held against X-Request-Id: here both are the first request's.
      for (const answer of [first, again, elsewhere]) expectError(answer, refusal);
      expect([first, again, elsewhere].map(isReplay)).toEqual([false, true, true]);
      expectReplaysOfOne([first, again, elsewhere], refusal.status);
    }
  });
});

describe("which request is the same", () => {
  test("one with other whitespace, escapes and spelling of numbers in metadata", async () => {
    const body = { ...LINK, metadata: { a: 1, b: { c: 2, d: "é" } } };
    const first = await api.post(LINKS, body, { idempotencyKey: "same" });
    const spelled = ` {"metadata" : {"b":{"d":"\\u00e9","c":2.0},"a":1e0},\n"reference":"order-1","currency":"BRL","amount":15990}\t`;
    expectReplaysOfOne([first, await api.post(LINKS, spelled, { idempotencyKey: "same" })], 201);
  });

  test("one under another key of the same tenant and mode", async () => {
    const { key } = await service.createKey(tenant.id, "test");
    const first = await api.post(LINKS, LINK, { idempotencyKey: "shared" });
    const again = await new Api(second, key).post(LINKS, LINK, { idempotencyKey: "shared" });
    expectReplaysOfOne([first, again], 201);
  });

  const others: [string, object][] = [
    ["another value", { ...LINK, amount: 15_991 }],
    ["a field less", { amount: 15_990, currency: "BRL" }],
    ["a default spelled out", { ...LINK, campaign: false }],
    ["empty metadata", { ...LINK, metadata: {} }],
    ["metadata", { ...LINK, metadata: { a: null } }],
  ];
  test.each(others)("The same key with a different body: 409 idempotency_key_reuse, %s", async (_, body) => {
    await api.post(LINKS, LINK, { idempotencyKey: "same" });
    for (const each of [api, other]) {
      const answer = await each.post(LINKS, body, { idempotencyKey: "same" });
      expectError(answer, { status: 409, code: "idempotency_key_reuse" });
      expect(answer.headers).not.toHaveProperty("idempotent-replay");
    }
    expect(await rows.count("test.payment_link WHERE tenant_id = $1", [tenant.id])).toBe(1);
  });

  test("not one of another path with the same body, nor of another quote", async () => {
    const body = { amount: 15_990, currency: "BRL" };
    await api.post(LINKS, body, { idempotencyKey: "path" });
    const [one, two] = await times(2, () => api.post("/v1/quotes", PIX_QUOTE));
    const name = { name: "Shoes" };
    await api.post(`/v1/quotes/${one?.body.id}/accept`, name, { idempotencyKey: "accept" });
    const reused = [
      await api.post("/v1/quotes", body, { idempotencyKey: "path" }),
      await api.post("/v1/payment_intents", body, { idempotencyKey: "path" }),
      await api.post(`/v1/quotes/${two?.body.id}/accept`, name, { idempotencyKey: "accept" }),
    ];
    for (const answer of reused) expectError(answer, { status: 409, code: "idempotency_key_reuse" });
  });

  test("not one whose key differs by case or by inner blanks", async () => {
    for (const idempotencyKey of ["key a", "key  a", "Key a", "key%20a"]) {
      const answer = await api.post(LINKS, LINK, { idempotencyKey });
      expect([answer.status, isReplay(answer)]).toEqual([201, false]);
    }
  });
});

describe("what is not kept leaves the key free", () => {
  const sent = { idempotencyKey: "free" };
  const refused: [string, number, () => Promise<Answer>][] = [
    ["an unknown API key", 401, () => new Api(service, "svc_test_nobody").post(LINKS, LINK, sent)],
    [
      "a missing scope",
      403,
      async () => {
        const { key } = await service.createKey(tenant.id, "test", ["payments:read"]);
        return await new Api(service, key).post(LINKS, LINK, sent);
      },
    ],
    ["bad JSON", 400, () => api.post(LINKS, "{", sent)],
    ["an unknown key", 400, () => api.post(LINKS, { ...LINK, x: 1 }, sent)],
    ["a limit", 400, () => api.post(LINKS, { ...LINK, amount: 0 }, sent)],
    ["a reserved metadata key", 400, () => api.post(LINKS, { ...LINK, metadata: { svc_a: 1 } }, sent)],
    [
      "another media type",
      415,
      () => api.post(LINKS, LINK, { ...sent, headers: { "content-type": "text/plain" } }),
    ],
    ["a body too large", 413, () => api.post(LINKS, " ".repeat(65_537), sent)],
  ];
  test.each(refused)("%s: %d", async (_, status, refuse) => {
    expect((await refuse()).status).toBe(status);
    expect(await keysKept()).toBe(0);
    const answer = await api.post(LINKS, LINK, sent);
    expect([answer.status, isReplay(answer)]).toEqual([201, false]);
    expect(await keysKept()).toBe(1);
  });
});

// Last, since it moves the clock that all share.
describe("Retention is 24 hours. After 24 hours the key is released", () => {
  test("a refusal is replayed just before, and decided anew after; the key then holds the new outcome", async () => {
    const sent = { idempotencyKey: "day" };
    const small = { ...LINK, amount: 1 };
    const refused = await api.post(LINKS, small, sent);
    service.clock.advance(24 * 3600 - 30);
    await service.core.tasks.removePast();
    expectReplaysOfOne([refused, await other.post(LINKS, small, sent)], 400);
    const reused = await api.post(LINKS, LINK, sent);
    expectError(reused, { status: 409, code: "idempotency_key_reuse" });

    service.clock.advance(30);
    const link = await api.post(LINKS, LINK, sent);
    expect([link.status, isReplay(link)]).toEqual([201, false]);
    expectReplaysOfOne([link, await other.post(LINKS, LINK, sent)], 201);
    expectError(await api.post(LINKS, small, sent), { status: 409, code: "idempotency_key_reuse" });
  });
});
