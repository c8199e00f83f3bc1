import { createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { randomUUID } from "node:crypto";
import pg from "pg";
import { describe, expect, onTestFinished, test } from "vitest";
import { LinksService } from "../../gen/paylink/links/v1/links_pb.ts";
import { createCoreServer } from "../../src/listeners.ts";
import { storedOutcome } from "../../src/platform/write/idempotency.ts";
import { Api } from "../support/api.ts";
import { CORE_TOKEN } from "../support/core-options.ts";
import { expectError } from "../support/error-answer.ts";
import { secondService, startService } from "../support/service.ts";
import { DatabaseRows } from "../support/database-rows.ts";
import { forFile } from "../support/for-file.ts";
import { expectReplaysOfOne } from "../support/replays.ts";

const LINK = {
  amount: 5000,
  currency: "BRL",
  reference: "order-1",
  metadata: { b: 1, a: { y: [2], x: null } },
};

const service = await forFile(startService("direct", { commitBatch: 2 }));
const rows = await forFile(new DatabaseRows(service.databaseUrl).open());
const tenant = await service.createTenant();
const api = new Api(service, tenant.testKey);

const countLinks = async (): Promise<number> => await rows.count("test.payment_link");

describe("A replay of the same key within 24 hours returns the original response byte for byte", () => {
  test("64 concurrent requests with one key make one link and 64 identical bodies, 63 of them replays", async () => {
    const before = await countLinks();
    const idempotencyKey = randomUUID();
    const answers = await Promise.all(
      Array.from({ length: 64 }, () => api.post("/v1/payment_links", LINK, { idempotencyKey })),
    );
    expectReplaysOfOne(answers, 201);
    expect(await countLinks()).toBe(before + 1);
  });

  test("so do 64 split over two cores on one database", async () => {
    const other = await secondService(service);
    const otherApi = new Api({ gateway: other.gateway }, tenant.testKey);
    const before = await countLinks();
    const idempotencyKey = randomUUID();
    const answers = await Promise.all(
      Array.from({ length: 64 }, (_, index) =>
        (index % 2 === 0 ? api : otherApi).post("/v1/payment_links", LINK, { idempotencyKey }),
      ),
    );
    await other.close();
    expectReplaysOfOne(answers, 201);
    expect(await countLinks()).toBe(before + 1);
  });

  test("the order of keys and white space do not make another request", async () => {
    const idempotencyKey = randomUUID();
    const first = await api.post("/v1/payment_links", LINK, { idempotencyKey });
    const same = `{ "metadata": {"a":{"x":null,"y":[2]},"b":1},\n"reference":"order-1","currency":"BRL","amount":5000}`;
    const second = await api.post("/v1/payment_links", same, { idempotencyKey });
    expectReplaysOfOne([first, second], 201);
  });

  test("a replay works after a restart", async () => {
    const idempotencyKey = randomUUID();
    const first = await api.post("/v1/payment_links", LINK, { idempotencyKey });
    const restarted = await secondService(service);
    const again = await new Api({ gateway: restarted.gateway }, tenant.testKey).post(
      "/v1/payment_links",
      LINK,
      {
        idempotencyKey,
      },
    );
    await restarted.close();
    expectReplaysOfOne([first, again], 201);
  });

  test("for 24 hours and not after: then the key is released", async () => {
    const idempotencyKey = randomUUID();
    const first = await api.post("/v1/payment_links", LINK, { idempotencyKey });
    service.clock.advance(24 * 3600 - 5);
    const replay = await api.post("/v1/payment_links", LINK, { idempotencyKey });
    service.clock.advance(10);
    const fresh = await api.post("/v1/payment_links", LINK, { idempotencyKey });
    expectReplaysOfOne([first, replay], 201);
    expect(fresh.status).toBe(201);
    expect(fresh.headers["idempotent-replay"]).toBeUndefined();
    expect(fresh.body.id).not.toBe(first.body.id);
  });

  test("up to the last millisecond, and from that instant on not any more", async () => {
    const idempotencyKey = randomUUID();
    const first = await api.post("/v1/payment_links", LINK, { idempotencyKey });
    const [kept] = await rows.read(
      "SELECT expires_at AS ends FROM test.idempotency WHERE key = $1 AND expires_at = created_at + interval '24 hours'",
      [idempotencyKey],
    );
    const ends = kept?.["ends"] as Date;
    const justBefore = new Date(ends.getTime() - 1);
    const inTest = new pg.Pool({ connectionString: service.databaseUrl, options: "-c search_path=test" });
    onTestFinished(async () => {
      service.clock.run();
      await inTest.end();
    });
    expect(await storedOutcome(inTest, tenant.id, idempotencyKey, ends)).toBeUndefined();
    expect(await storedOutcome(inTest, tenant.id, idempotencyKey, justBefore)).toBeDefined();

    service.clock.stop();
    service.clock.set(justBefore);
    await service.core.tasks.removePast();
    expectReplaysOfOne([first, await api.post("/v1/payment_links", LINK, { idempotencyKey })], 201);
    service.clock.set(ends);
    const fresh = await api.post("/v1/payment_links", LINK, { idempotencyKey });
    expect([fresh.status, fresh.headers["idempotent-replay"]]).toEqual([201, undefined]);
    expect(fresh.body.id).not.toBe(first.body.id);
  });

  test("an error that the core decided is replayed under the original request id", async () => {
    const idempotencyKey = randomUUID();
    const small = { amount: 100, currency: "BRL" };
    const first = await api.post("/v1/payment_links", small, { idempotencyKey });
    const again = await api.post("/v1/payment_links", small, { idempotencyKey });
    expectReplaysOfOne([first, again], 400);
    expectError(first, { code: "merchant_net_not_positive" });
  });

  test("what was refused before the core decided is not kept", async () => {
    const idempotencyKey = randomUUID();
    const bodies = [
      { ...LINK, extra: 1 },
      { ...LINK, amount: 0 },
      { ...LINK, metadata: { svc_x: 1 } },
    ];
    for (const body of bodies) {
      expect((await api.post("/v1/payment_links", body, { idempotencyKey })).status).toBe(400);
    }
    const good = await api.post("/v1/payment_links", LINK, { idempotencyKey });
    expect(good.status).toBe(201);
    expect(good.headers["idempotent-replay"]).toBeUndefined();
  });

  test("simulate honours a key that is sent", async () => {
    const link = await api.post("/v1/payment_links", LINK);
    const url = `/v1/payment_links/${link.body.id}/simulate_payment`;
    const idempotencyKey = randomUUID();
    const first = await api.post(url, { outcome: "succeeded" }, { idempotencyKey });
    const again = await api.post(url, { outcome: "succeeded" }, { idempotencyKey });
    expectReplaysOfOne([first, again], 200);
  });

  test("an internal caller over gRPC replays what REST wrote", async () => {
    const server = await createCoreServer(service.core);
    const baseUrl = await server.listen({ host: "127.0.0.1", port: 0 });
    const client = createClient(LinksService, createGrpcTransport({ baseUrl }));
    const idempotencyKey = randomUUID();
    const first = await api.post("/v1/payment_links", { amount: 5000, currency: "BRL" }, { idempotencyKey });
    const replayed = new Headers();
    const { paymentLink } = await client.createPaymentLink(
      { amount: 5000n, currency: "BRL" },
      {
        headers: {
          authorization: `Bearer ${CORE_TOKEN}`,
          "paylink-tenant": tenant.id,
          "paylink-mode": "test",
          "idempotency-key": idempotencyKey,
        },
        onHeader: (headers) => headers.forEach((value, name) => replayed.set(name, value)),
      },
    );
    await server.close();
    expect(paymentLink?.id).toBe(first.body.id);
    expect(replayed.get("idempotent-replay")).toBe("true");
    expect(replayed.get("paylink-request-id")).toBe(first.headers["x-request-id"]);
  });
});

describe("The same key with a different body: 409 idempotency_key_reuse", () => {
  test.each([
    ["another body", "/v1/payment_links", { ...LINK, amount: 5001 }],
    ["an empty list that was not sent before", "/v1/payment_links", { ...LINK, product_images: [] }],
    ["another path", "/v1/quotes", { amount: 5000, currency: "BRL" }],
  ])("409 with %s", async (_name, url, body) => {
    const idempotencyKey = randomUUID();
    expect((await api.post("/v1/payment_links", LINK, { idempotencyKey })).status).toBe(201);
    const reused = await api.post(url, body, { idempotencyKey });
    expectError(reused, { status: 409, code: "idempotency_key_reuse" });
  });

  test("keys of another tenant and of the other mode are independent", async () => {
    const idempotencyKey = randomUUID();
    const other = await service.createTenant();
    const apis = [api, new Api(service, other.testKey), new Api(service, tenant.liveKey)];
    const answers = await Promise.all(
      apis.map((each) => each.post("/v1/payment_links", LINK, { idempotencyKey })),
    );
    expect(answers.map((answer) => answer.status)).toEqual([201, 201, 201]);
    expect(new Set(answers.map((answer) => answer.body.id)).size).toBe(3);
  });
});

test("records past their time are removed, those in force stay", async () => {
  const kept = async (): Promise<number> => await rows.count("test.idempotency");
  expect(await kept()).toBeGreaterThan(10);
  service.clock.advance(24 * 3600 + 1);
  const idempotencyKey = randomUUID();
  await api.post("/v1/payment_links", LINK, { idempotencyKey });
  await service.core.tasks.removePast();
  expect(await kept()).toBe(1);
});
