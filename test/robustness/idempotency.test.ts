import { Code, ConnectError, createClient, type Transport } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import fc from "fast-check";
import type { FastifyInstance } from "fastify";
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { LinksService } from "../../gen/paylink/links/v1/links_pb.ts";
import { createCoreServer } from "../../src/listeners.ts";
import { Api, type Answer } from "../support/api.ts";
import { DatabaseRows } from "../support/database-rows.ts";
import { expectError } from "../support/error-answer.ts";
import { startPeer } from "../support/peer.ts";
import { startService, type TestService, type TestTenant } from "../support/service.ts";

const LINK = { amount: 15_990, currency: "BRL", reference: "order-1" };
const PIX_QUOTE = { amount: 15_990, currency: "BRL", payment_method: "pix" };
const HOUR = 3600;

function times<T>(count: number, run: (index: number) => Promise<T>): Promise<T[]> {
  return Promise.all(Array.from({ length: count }, (_, index) => run(index)));
}

const isReplay = ({ headers }: Answer): boolean => headers["idempotent-replay"] === "true";

/** One original, and replays that differ from it in nothing but the header that says so. */
function expectReplaysOfOne(answers: readonly Answer[]): void {
  expect(answers.filter(isReplay)).toHaveLength(answers.length - 1);
  expect(new Set(answers.map(({ status }) => status)).size).toBe(1);
  expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
  expect(new Set(answers.map(({ headers }) => headers["x-request-id"])).size).toBe(1);
}

let service: TestService;
let peer: TestService;
let rows: DatabaseRows;
let tenant: TestTenant;
let api: Api;
beforeAll(async () => {
  service = await startService();
  peer = await startPeer(service);
  rows = await new DatabaseRows(service.databaseUrl).open();
});
beforeEach(async () => {
  tenant = await service.createTenant();
  api = new Api(service, tenant.testKey);
});
afterAll(async () => {
  await rows.close();
  await peer.close();
  await service.close();
});

const linksOf = (owner: TestTenant, mode: "live" | "test" = "test"): Promise<number> =>
  rows.count(`${mode}.payment_link WHERE tenant_id = $1`, [owner.id]);
const keysOf = (owner: TestTenant): Promise<number> =>
  rows.count("test.idempotency WHERE tenant_id = $1", [owner.id]);

describe("concurrent requests", () => {
  test("64 with one key make one link and 64 identical answers, 63 of them replays", async () => {
    const idempotencyKey = randomUUID();
    const answers = await times(64, () => api.post("/v1/payment_links", LINK, { idempotencyKey }));
    expect(answers[0]?.status).toBe(201);
    expectReplaysOfOne(answers);
    expect(await linksOf(tenant)).toBe(1);
  });

  test("32 at each of two processes with one key make one link and 64 identical answers", async () => {
    const other = new Api(peer, tenant.testKey);
    const idempotencyKey = randomUUID();
    const answers = await times(64, (index) =>
      (index % 2 === 0 ? api : other).post("/v1/payment_links", LINK, { idempotencyKey }),
    );
    expect(answers[0]?.status).toBe(201);
    expectReplaysOfOne(answers);
    expect(await linksOf(tenant)).toBe(1);
  });

  test("64 with one key and two bodies make one link; the other body is answered 409 every time", async () => {
    const idempotencyKey = randomUUID();
    const answers = await times(64, (index) =>
      api.post("/v1/payment_links", { ...LINK, amount: 15_990 + (index % 2) }, { idempotencyKey }),
    );
    const refused = answers.filter(({ status }) => status === 409);
    expect(refused).toHaveLength(32);
    for (const answer of refused) expectError(answer, { status: 409, code: "idempotency_key_reuse" });
    expectReplaysOfOne(answers.filter(({ status }) => status !== 409));
    expect(await linksOf(tenant)).toBe(1);
  });

  test("64 refused ones with one key are 64 identical refusals", async () => {
    const idempotencyKey = randomUUID();
    const answers = await times(64, () =>
      api.post("/v1/payment_links", { ...LINK, amount: 1 }, { idempotencyKey }),
    );
    expectError(answers[0] as Answer, { status: 400, code: "merchant_net_not_positive" });
    expectReplaysOfOne(answers);
  });

  test.each(["one process", "two processes"])(
    "32 accepts of one quote with different keys at %s make one 201 and 31 quote_consumed",
    async (where) => {
      const other = new Api(where === "one process" ? service : peer, tenant.testKey);
      const quote = await api.post("/v1/quotes", PIX_QUOTE);
      const answers = await times(32, (index) =>
        (index % 2 === 0 ? api : other).post(`/v1/quotes/${quote.body.id}/accept`, { name: "Shoes" }),
      );
      expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
      const refused = answers.filter(({ status }) => status !== 201);
      for (const answer of refused) expectError(answer, { status: 400, code: "quote_consumed" });
      expect(await linksOf(tenant)).toBe(1);
      expect(await rows.count("test.payment_intent WHERE tenant_id = $1", [tenant.id])).toBe(1);
    },
  );

  test.each(["one process", "two processes"])(
    "32 simulated successes on a single link at %s make one succeeded payment",
    async (where) => {
      const other = new Api(where === "one process" ? service : peer, tenant.testKey);
      const link = await api.post("/v1/payment_links", LINK);
      const answers = await times(32, (index) =>
        (index % 2 === 0 ? api : other).post(
          `/v1/payment_links/${link.body.id}/simulate_payment`,
          { outcome: "succeeded" },
          { idempotencyKey: null },
        ),
      );
      const paid = answers.filter(({ status }) => status === 200);
      expect(paid.map(({ body }) => body.status)).toEqual(["succeeded"]);
      for (const answer of answers.filter(({ status }) => status !== 200)) {
        expectError(answer, { status: 400, code: "invalid_request" });
      }
      const payments = "test.payment WHERE tenant_id = $1";
      expect(await rows.count(payments, [tenant.id])).toBe(1);
      expect(await rows.count(`${payments} AND status = 'succeeded'`, [tenant.id])).toBe(1);
      expect(await rows.count("test.price WHERE tenant_id = $1", [tenant.id])).toBe(1);
    },
  );

  test("64 duplicates of a request that is stuck hold one connection, and another key proceeds", async () => {
    const idempotencyKey = randomUUID();
    const holder = await new DatabaseRows(service.databaseUrl).open();
    await holder.run("BEGIN");
    await holder.run(
      `INSERT INTO test.idempotency (tenant_id, key, fingerprint, request_id, response, created_at, expires_at)
        VALUES ($1, $2, '', 'req_held', '', now(), now() + interval '1 day')`,
      [tenant.id, idempotencyKey],
    );
    const waiting = (): Promise<number> =>
      rows.count("pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'");
    let settled = 0;
    const stuck = times(64, async () => {
      const answer = await api.post("/v1/payment_links", LINK, { idempotencyKey });
      settled++;
      return answer;
    });
    await expect.poll(waiting).toBe(1);
    const others = await times(16, () => api.post("/v1/payment_links", LINK));
    expect(others.map(({ status }) => status)).toEqual(others.map(() => 201));
    expect({ settled, waiting: await waiting() }).toEqual({ settled: 0, waiting: 1 });
    await holder.run("ROLLBACK");
    await holder.close();
    expectReplaysOfOne(await stuck);
    expect(await linksOf(tenant)).toBe(17);
  });
});

describe("a replay returns the original response byte for byte, with the header Idempotent-Replay: true", () => {
  const creations: [string, object][] = [
    ["/v1/payment_links", { ...LINK, metadata: { z: 1, a: [null, { b: 1.5 }], "7": "é" } }],
    ["/v1/quotes", PIX_QUOTE],
    ["/v1/quotes", { amount: 10_000, currency: "USD" }],
    ["/v1/payment_intents", { amount: 5, currency: "USD", fee_strategy: { b: 1, a: 2 } }],
  ];

  test.each(creations)("POST %s with %j, at the same process and after a restart", async (url, body) => {
    const idempotencyKey = randomUUID();
    const first = await api.post(url, body, { idempotencyKey });
    expect(first.status).toBe(201);
    expect(first.headers).not.toHaveProperty("idempotent-replay");
    const restarted = await startPeer(service);
    for (const where of [service, restarted]) {
      const again = await new Api(where, tenant.testKey).post(url, body, { idempotencyKey });
      expectReplaysOfOne([first, again]);
      expect(again.status).toBe(201);
    }
    await restarted.close();
  });

  test("accept: the replay is the link although the quote is consumed", async () => {
    const quote = await api.post("/v1/quotes", PIX_QUOTE);
    const url = `/v1/quotes/${quote.body.id}/accept`;
    const first = await api.post(url, { name: "Shoes" }, { idempotencyKey: "accept" });
    const again = await api.post(url, { name: "Shoes" }, { idempotencyKey: "accept" });
    expect(again.status).toBe(201);
    expectReplaysOfOne([first, again]);
  });

  test("simulate honours a key when sent, although the link is completed", async () => {
    const link = await api.post("/v1/payment_links", LINK);
    const url = `/v1/payment_links/${link.body.id}/simulate_payment`;
    const first = await api.post(url, { outcome: "succeeded" }, { idempotencyKey: "pay" });
    const again = await api.post(url, { outcome: "succeeded" }, { idempotencyKey: "pay" });
    expect(again.status).toBe(200);
    expectReplaysOfOne([first, again]);
    const anew = await api.post(url, { outcome: "succeeded" }, { idempotencyKey: "pay again" });
    expectError(anew, { status: 400, code: "invalid_request" });
    const otherwise = await api.post(url, { outcome: "failed" }, { idempotencyKey: "pay" });
    expectError(otherwise, { status: 409, code: "idempotency_key_reuse" });
  });

  test("whatever the metadata", async () => {
    const other = new Api(peer, tenant.testKey);
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
        const first = await api.post("/v1/payment_links", body, { idempotencyKey });
        expect(first.status).toBe(201);
        expect(first.body.metadata).toEqual(JSON.parse(text.replaceAll("-0", "0")));
        expectReplaysOfOne([first, await other.post("/v1/payment_links", body, { idempotencyKey })]);
      }),
      { numRuns: 50 },
    );
  });

  test("merchant_net_not_positive is replayed under the original request's id", async () => {
    const body = { ...LINK, amount: 1 };
    const first = await api.post("/v1/payment_links", body, { idempotencyKey: "small" });
    expectError(first, { status: 400, code: "merchant_net_not_positive" });
    expect(first.headers).not.toHaveProperty("idempotent-replay");
    for (const where of [service, peer]) {
      const again = await new Api(where, tenant.testKey).post("/v1/payment_links", body, {
        idempotencyKey: "small",
      });
      expect(again.status).toBe(400);
      expectReplaysOfOne([first, again]);
      expect(again.body.error.request_id).toBe(first.headers["x-request-id"]);
    }
  });

  test("quote_consumed and quote_not_found are replayed under the original request's id", async () => {
    const quote = await api.post("/v1/quotes", PIX_QUOTE);
    const url = `/v1/quotes/${quote.body.id}/accept`;
    await api.post(url, { name: "Shoes" });
    for (const [path, status, code] of [
      [url, 400, "quote_consumed"],
      ["/v1/quotes/qt_nothing/accept", 404, "quote_not_found"],
    ] as const) {
      const first = await api.post(path, { name: "Shoes" }, { idempotencyKey: code });
      expectError(first, { status, code });
      expectReplaysOfOne([first, await api.post(path, { name: "Shoes" }, { idempotencyKey: code })]);
    }
  });
});

describe("which request is the same", () => {
  const url = "/v1/payment_links";

  test("the same with other whitespace, order of keys and spelling of numbers in metadata", async () => {
    const idempotencyKey = randomUUID();
    const first = await api.post(
      url,
      { ...LINK, metadata: { a: 1, b: { c: 2, d: "é" } } },
      { idempotencyKey },
    );
    const again = await api.post(
      url,
      ` {"metadata" : {"b":{"d":"\\u00e9","c":2.0},"a":1e0},\n"reference":"order-1","currency":"BRL","amount":15990}\t`,
      { idempotencyKey },
    );
    expectReplaysOfOne([first, again]);
    expect(again.status).toBe(201);
  });

  const others: [string, object][] = [
    ["another value", { ...LINK, amount: 15_991 }],
    ["a field less", { amount: 15_990, currency: "BRL" }],
    ["a default spelled out", { ...LINK, campaign: false }],
    ["empty metadata", { ...LINK, metadata: {} }],
    ["metadata", { ...LINK, metadata: { a: null } }],
  ];
  test.each(others)("The same key with a different body: 409 idempotency_key_reuse, %s", async (_, body) => {
    await api.post(url, LINK, { idempotencyKey: "same" });
    for (const where of [service, peer]) {
      const answer = await new Api(where, tenant.testKey).post(url, body, { idempotencyKey: "same" });
      expectError(answer, { status: 409, code: "idempotency_key_reuse" });
      expect(answer.headers).not.toHaveProperty("idempotent-replay");
    }
    expect(await linksOf(tenant)).toBe(1);
  });

  test("409 on another path, even with the same body", async () => {
    const body = { amount: 15_990, currency: "BRL" };
    await api.post(url, body, { idempotencyKey: "path" });
    for (const path of ["/v1/quotes", "/v1/payment_intents"]) {
      const answer = await api.post(path, body, { idempotencyKey: "path" });
      expectError(answer, { status: 409, code: "idempotency_key_reuse" });
    }
  });

  test("409 on another quote's accept", async () => {
    const [one, two] = await times(2, () => api.post("/v1/quotes", PIX_QUOTE));
    await api.post(`/v1/quotes/${one?.body.id}/accept`, { name: "Shoes" }, { idempotencyKey: "accept" });
    const answer = await api.post(
      `/v1/quotes/${two?.body.id}/accept`,
      { name: "Shoes" },
      { idempotencyKey: "accept" },
    );
    expectError(answer, { status: 409, code: "idempotency_key_reuse" });
  });

  test("not the same for another tenant, nor in the other mode", async () => {
    const other = await service.createTenant();
    const callers = [tenant.testKey, tenant.liveKey, other.testKey, other.liveKey];
    const answers = await Promise.all(
      callers.map((key) => new Api(service, key).post(url, LINK, { idempotencyKey: "shared" })),
    );
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201]);
    expect(answers.filter(isReplay)).toEqual([]);
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(4);
    expect(answers.map(({ body }) => body.mode)).toEqual(["test", "live", "test", "live"]);
  });

  test("the same under another key of the same tenant and mode", async () => {
    const { key } = await service.createKey(tenant.id, "test");
    const first = await api.post(url, LINK, { idempotencyKey: "shared" });
    const again = await new Api(service, key).post(url, LINK, { idempotencyKey: "shared" });
    expectReplaysOfOne([first, again]);
  });

  test("keys differ by case and by inner spaces", async () => {
    for (const idempotencyKey of ["key a", "key  a", "Key a", "key%20a"]) {
      const answer = await api.post(url, LINK, { idempotencyKey });
      expect([answer.status, isReplay(answer)]).toEqual([201, false]);
    }
    expect(await linksOf(tenant)).toBe(4);
  });
});

describe("what is not kept leaves the key free", () => {
  const url = "/v1/payment_links";
  const refused: [string, number, () => Promise<Answer>][] = [
    ["401", 401, () => new Api(service, "svc_test_nobody").post(url, LINK, { idempotencyKey: "free" })],
    [
      "403",
      403,
      async () => {
        const { key } = await service.createKey(tenant.id, "test", ["payments:read"]);
        return await new Api(service, key).post(url, LINK, { idempotencyKey: "free" });
      },
    ],
    ["bad JSON", 400, () => api.post(url, "{", { idempotencyKey: "free" })],
    ["an unknown key", 400, () => api.post(url, { ...LINK, x: 1 }, { idempotencyKey: "free" })],
    ["a limit", 400, () => api.post(url, { ...LINK, amount: 0 }, { idempotencyKey: "free" })],
    [
      "reserved metadata",
      400,
      () => api.post(url, { ...LINK, metadata: { svc_a: 1 } }, { idempotencyKey: "free" }),
    ],
    [
      "a media type",
      415,
      () => api.post(url, LINK, { idempotencyKey: "free", headers: { "content-type": "text/plain" } }),
    ],
    ["a size", 413, () => api.post(url, " ".repeat(65_537), { idempotencyKey: "free" })],
  ];
  test.each(refused)("%s", async (_, status, refuse) => {
    expect((await refuse()).status).toBe(status);
    expect(await keysOf(tenant)).toBe(0);
    const answer = await api.post(url, LINK, { idempotencyKey: "free" });
    expect([answer.status, isReplay(answer)]).toEqual([201, false]);
    expect(await keysOf(tenant)).toBe(1);
  });
});

describe("gRPC callers", () => {
  let server: FastifyInstance;
  let transport: Transport;
  const request = { amount: 15_990n, currency: "BRL", reference: "order-1" };
  beforeAll(async () => {
    server = await createCoreServer(service.core);
    transport = createGrpcTransport({ baseUrl: await server.listen({ host: "127.0.0.1", port: 0 }) });
  });
  afterAll(async () => await server.close());

  const create = async (key: string, input: object = request) => {
    let answered = new Headers();
    const headers = {
      ...service.internal.headers,
      "paylink-tenant": tenant.id,
      "paylink-mode": "test",
      "idempotency-key": key,
    };
    const onHeader = (header: Headers): void => void (answered = header);
    const links = createClient(LinksService, transport);
    const { paymentLink } = await links.createPaymentLink(input, { headers, onHeader });
    return { id: paymentLink?.id, isReplay: answered.get("idempotent-replay") === "true", headers: answered };
  };

  test("64 concurrent calls with one key make one link", async () => {
    const answers = await times(64, () => create("grpc"));
    expect(new Set(answers.map(({ id }) => id)).size).toBe(1);
    expect(answers.filter((answer) => answer.isReplay)).toHaveLength(63);
    expect(await linksOf(tenant)).toBe(1);
  });

  test("replay what REST wrote with the same key, and REST what they wrote", async () => {
    const rest = await api.post("/v1/payment_links", LINK, { idempotencyKey: "by rest" });
    const grpc = await create("by rest");
    expect(grpc).toMatchObject({ id: rest.body.id, isReplay: true });
    expect(grpc.headers.get("paylink-request-id")).toBe(rest.headers["x-request-id"]);

    const made = await create("by grpc");
    expect(made.isReplay).toBe(false);
    const again = await api.post("/v1/payment_links", LINK, { idempotencyKey: "by grpc" });
    expect([again.status, again.body.id, isReplay(again)]).toEqual([201, made.id, true]);
    expect(await linksOf(tenant)).toBe(2);
  });

  test("are refused as REST is: another request, no key, a key of 256 characters", async () => {
    await api.post("/v1/payment_links", LINK, { idempotencyKey: "same" });
    await expect(create("same", { ...request, amount: 1n })).rejects.toMatchObject({ code: Code.Aborted });
    await expect(create("")).rejects.toMatchObject({ code: Code.InvalidArgument });
    await expect(create("k".repeat(256))).rejects.toMatchObject({ code: Code.InvalidArgument });
    expect(await linksOf(tenant)).toBe(1);
  });

  test("get a kept refusal with the original request's id", async () => {
    const rest = await api.post("/v1/payment_links", { ...LINK, amount: 1 }, { idempotencyKey: "small" });
    const error = await create("small", { ...request, amount: 1n }).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(ConnectError);
    const { code, rawMessage, metadata } = error as ConnectError;
    expect({ code, rawMessage }).toEqual({
      code: Code.FailedPrecondition,
      rawMessage: rest.body.error.message,
    });
    expect(metadata.get("paylink-request-id")).toBe(rest.headers["x-request-id"]);
    expect(metadata.get("idempotent-replay")).toBe("true");
  });
});

// Last, since it moves the clock that all share.
describe("Retention is 24 hours. After 24 hours the key is released", () => {
  test("the key replays just before, and makes a new link and holds its outcome after", async () => {
    const url = "/v1/payment_links";
    const first = await api.post(url, LINK, { idempotencyKey: "day" });
    const refused = await api.post(url, { ...LINK, amount: 1 }, { idempotencyKey: "refused" });
    service.clock.advance(24 * HOUR - 30);
    await service.core.removePastKeys();
    expectReplaysOfOne([first, await api.post(url, LINK, { idempotencyKey: "day" })]);
    const same = await api.post(url, { ...LINK, amount: 1 }, { idempotencyKey: "refused" });
    expectReplaysOfOne([refused, same]);
    const other = await api.post(url, { ...LINK, amount: 2 }, { idempotencyKey: "day" });
    expectError(other, { status: 409, code: "idempotency_key_reuse" });

    service.clock.advance(30);
    const second = await api.post(url, { ...LINK, amount: 20_000 }, { idempotencyKey: "day" });
    expect([second.status, isReplay(second)]).toEqual([201, false]);
    expect(second.body.id).not.toBe(first.body.id);
    const again = await api.post(url, { ...LINK, amount: 20_000 }, { idempotencyKey: "day" });
    expectReplaysOfOne([second, again]);
    expect(await linksOf(tenant)).toBe(2);
  });

  test("64 concurrent requests with a released key make one new link", async () => {
    const url = "/v1/payment_links";
    const first = await api.post(url, LINK, { idempotencyKey: "day" });
    service.clock.advance(24 * HOUR);
    const other = new Api(peer, tenant.testKey);
    const answers = await times(64, (index) =>
      (index % 2 === 0 ? api : other).post(url, LINK, { idempotencyKey: "day" }),
    );
    expectReplaysOfOne(answers);
    expect(answers[0]?.body.id).not.toBe(first.body.id);
    expect(await linksOf(tenant)).toBe(2);
  });

  test("keys past their time are removed, others stay", async () => {
    await api.post("/v1/payment_links", LINK);
    service.clock.advance(12 * HOUR);
    await api.post("/v1/payment_links", LINK);
    service.clock.advance(12 * HOUR);
    expect(await keysOf(tenant)).toBe(2);
    await service.core.removePastKeys();
    expect(await keysOf(tenant)).toBe(1);
  });
});
