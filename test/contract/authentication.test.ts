import { createClient } from "@connectrpc/connect";
import { describe, expect, test } from "vitest";
import { IdentityService } from "../../gen/paylink/identity/v1/identity_pb.ts";
import { Api } from "../support/api.ts";
import { expectError } from "../support/error-answer.ts";
import { secondService } from "../support/service.ts";
import { overEachTransport } from "../support/transports.ts";

const QUOTE = { amount: 1000, currency: "BRL", payment_method: "pix" };

const transports = await overEachTransport();

describe.each(transports)("Authentication over the $kind transport", ({ service, tenant }) => {
  test.each([
    ["no header", {}],
    ["no scheme", { authorization: "KEY" }],
    ["another scheme", { authorization: "Basic KEY" }],
    ["an unknown key", { authorization: `Bearer svc_test_${"x".repeat(43)}` }],
    ["a key of neither mode", { authorization: "Bearer svc_prod_abc" }],
    ["an empty key", { authorization: "Bearer " }],
    ["something after the key", { authorization: "Bearer KEY x" }],
  ])("401 invalid_api_key with %s", async (_name, headers) => {
    const sent = Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name, value.replace("KEY", tenant.testKey)]),
    );
    const response = await service.gateway.inject({ url: "/v1/payments/pay_1", headers: sent });
    const { statusCode: status, body: text } = response;
    expect(response.headers["www-authenticate"]).toBe("Bearer");
    expectError({ status, headers: response.headers, text }, { status: 401, code: "invalid_api_key" });
  });

  test("a key whose prefix was changed to the other mode is no key", async () => {
    const api = new Api(service, tenant.testKey.replace("svc_test_", "svc_live_"));
    expect((await api.get("/v1/payments/pay_1")).status).toBe(401);
  });

  test("a revoked key is refused from the next request on", async () => {
    const { id, key } = await service.createKey(tenant.id, "test");
    const api = new Api(service, key);
    expect((await api.post("/v1/quotes", QUOTE)).status).toBe(201);
    await createClient(IdentityService, service.core.transport).revokeApiKey({ id }, service.internal);
    expectError(await api.post("/v1/quotes", QUOTE), { status: 401, code: "invalid_api_key" });
  });

  test("a key revoked through one core is refused by another that has used it", async () => {
    const other = await secondService(service);
    const { id, key } = await service.createKey(tenant.id, "test");
    const api = new Api({ gateway: other.gateway }, key);
    expect((await api.post("/v1/quotes", QUOTE)).status).toBe(201);
    await createClient(IdentityService, service.core.transport).revokeApiKey({ id }, service.internal);
    await expect.poll(async () => (await api.post("/v1/quotes", QUOTE)).status, { interval: 1 }).toBe(401);
    await other.close();
  });

  const operations = [
    ["POST", "/v1/payment_links", "payment_links:write"],
    ["POST", "/v1/quotes", "quotes:write"],
    ["POST", "/v1/quotes/qt_1/accept", "payment_intents:write"],
    ["POST", "/v1/payment_intents", "payment_intents:write"],
    ["GET", "/v1/payments/pay_1", "payments:read"],
    ["GET", "/v1/payments?from=2026-01-01&to=2026-01-01", "payments:read"],
    ["POST", "/v1/payments/pay_1/refunds", "refunds:write"],
    ["GET", "/v1/payments/pay_1/refunds", "payments:read"],
    ["POST", "/v1/payment_links/pl_1/simulate_payment", "payment_links:write"],
  ] as const;
  test.each(operations)("%s %s needs the scope %s and no other", async (verb, url, scope) => {
    const scopes = [
      "payment_links:write",
      "quotes:write",
      "payment_intents:write",
      "payments:read",
      "refunds:write",
    ];
    const call = async (key: string) => {
      const api = new Api(service, key);
      return verb === "GET" ? await api.get(url) : await api.post(url, "{not json");
    };
    const without = await service.createKey(
      tenant.id,
      "test",
      scopes.filter((each) => each !== scope),
    );
    expectError(await call(without.key), { status: 403, code: "insufficient_scope" });
    const only = await service.createKey(tenant.id, "test", [scope]);
    expect([200, 400, 404]).toContain((await call(only.key)).status);
  });

  const creating = [
    "/v1/payment_links",
    "/v1/quotes",
    "/v1/quotes/qt_1/accept",
    "/v1/payment_intents",
    "/v1/payments/pay_1/refunds",
  ];
  test.each(creating)("Idempotency-Key on POST %s: missing, empty, too long", async (url) => {
    const api = new Api(service, tenant.testKey);
    for (const idempotencyKey of [null, ""]) {
      const missing = await api.post(url, "{not json", { idempotencyKey });
      expectError(missing, { code: "missing_idempotency_key" });
    }
    const long = await api.post(url, "{not json", { idempotencyKey: "k".repeat(256) });
    expectError(long, { code: "invalid_idempotency_key" });
    const edge = await api.post(url, "{not json", { idempotencyKey: "k".repeat(255) });
    expectError(edge);
  });

  test("any unique string is accepted as a key", async () => {
    const api = new Api(service, tenant.testKey);
    for (const idempotencyKey of ["1", "é ü", "a b\tc", "%00", "'; drop table", "k".repeat(255)]) {
      expect((await api.post("/v1/quotes", QUOTE, { idempotencyKey })).status).toBe(201);
    }
  });
});
