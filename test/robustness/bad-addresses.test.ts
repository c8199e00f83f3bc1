import { describe, expect, test } from "vitest";
import type { Answer } from "../support/api.ts";
import { Asked, OPERATIONS, VALID } from "../support/asked.ts";
import { expectError, type Refusal } from "../support/error-answer.ts";
import { forFile } from "../support/for-file.ts";

const on = await forFile(Asked.start());

describe("addresses", () => {
  test.each(["%zz", "%", "%f", "%ff", "%c0%af", "%ed%a0%80"])(
    "400 for the bad percent escape %s",
    async (id) => {
      await on.expectRefused(async () => await on.api.get(`/v1/payments/${id}`), {});
      await on.expectRefused(async () => await on.api.post(`/v1/quotes/${id}/accept`, VALID.accept), {});
      await on.expectRefused(async () => await on.api.get(`/v1/payments?from=${id}`), {});
    },
  );

  test.each(["%00", "pay_%00", "%0d%0a", "%20", "pay_%F0%9F%98%80", "x".repeat(10_000), "%25zz"])(
    "404 for the id %s, which nothing can have",
    async (id) => {
      const unknown = { status: 404, code: "payment_not_found" };
      await on.expectRefused(async () => await on.api.get(`/v1/payments/${id}`), unknown);
      const quote = await on.api.post(`/v1/quotes/${id}/accept`, VALID.accept);
      expectError(quote, { status: 404, code: "quote_not_found" });
      const link = await on.api.post(`/v1/payment_links/${id}/simulate_payment`, VALID.simulate);
      expectError(link, { status: 404, code: "payment_link_not_found" });
    },
  );

  const unknown: [string, string][] = [
    ["GET /v1/payments/ID/refunds", "payment_not_found"],
    ["POST /v1/payment_links/ID/cancel", "payment_link_not_found"],
    ["GET /v1/quotes/ID", "quote_not_found"],
    ["GET /v1/events/ID", "event_not_found"],
    ["POST /v1/events/ID/resend", "event_not_found"],
    ["GET /v1/webhook_deliveries/ID", "delivery_not_found"],
    ["GET /v1/webhook_deliveries/ID/attempts", "delivery_not_found"],
    ["GET /v1/webhook_endpoints/ID", "webhook_endpoint_not_found"],
    ["POST /v1/webhook_endpoints/ID/disable", "webhook_endpoint_not_found"],
    ["POST /v1/webhook_endpoints/ID/rotate_secret", "webhook_endpoint_not_found"],
    ["POST /v1/webhook_endpoints/ID/test", "webhook_endpoint_not_found"],
    ["POST /v1/webhook_endpoints/ID/resend_failed", "webhook_endpoint_not_found"],
    ["POST /v1/media/ID/hide", "media_not_found"],
  ];
  test.each(unknown)("404 for an id with a NUL: %s", async (route, code) => {
    const [verb, url = ""] = route.replace("ID", "%00x").split(" ");
    const body = url.endsWith("resend_failed") ? { since: 1 } : {};
    const answer = verb === "GET" ? await on.api.get(url) : await on.api.post(url, body);
    expectError(answer, { status: 404, code });
  });

  test("404 for addresses beside the contract's", async () => {
    for (const url of ["/v1/payments/", "/v1/payments/?from=2026-01-01&to=2026-01-31"]) {
      await on.expectRefused(async () => await on.api.get(url), { status: 404, code: "not_found" });
    }
    for (const url of ["/v1/payment_links//simulate_payment", "/v1/quotes//accept", "/v1/payments/"]) {
      const answer = await on.api.post(url, {});
      expectError(answer, { status: 404, code: "not_found" });
    }
    for (const url of [
      "/v1",
      "/v1/payments/a/b",
      "/V1/payments",
      "/v2/payments",
      "/v1/payment_links/pl_x/a",
    ]) {
      await on.expectRefused(async () => await on.api.get(url), { status: 404, code: "not_found" });
    }
  });
});

describe("query parameters", () => {
  const PERIOD = "from=2026-01-01&to=2026-01-31";
  const refused: [string, Refusal][] = [
    ["", { param: "from" }],
    ["from=2026-01-01", { param: "to" }],
    ["to=2026-01-01", { param: "from" }],
    ["from=&to=2026-01-31", { param: "from" }],
    ["from=2026-02-30&to=2026-03-01", { param: "from" }],
    ["from=2026-13-01&to=2026-03-01", { param: "from" }],
    ["from=0000-01-01&to=2026-03-01", { param: "from" }],
    ["from=2026-1-1&to=2026-03-01", { param: "from" }],
    ["from=2026-01-01T00:00:00Z&to=2026-03-01", { param: "from" }],
    ["from=2026-01-01%0a&to=2026-03-01", { param: "from" }],
    ["from=2026-01-01&to=2026-02-29", { param: "to" }],
    ["from=2026-02-01&to=2026-01-31", { param: "from" }],
    [`${PERIOD}&limit=0`, { param: "limit" }],
    [`${PERIOD}&limit=-1`, { param: "limit" }],
    [`${PERIOD}&limit=101`, { param: "limit" }],
    [`${PERIOD}&limit=4294967297`, { param: "limit" }],
    [`${PERIOD}&limit=01`, { param: "limit" }],
    [`${PERIOD}&limit=1e1`, { param: "limit" }],
    [`${PERIOD}&limit=1.0`, { param: "limit" }],
    [`${PERIOD}&limit=+1`, { param: "limit" }],
    [`${PERIOD}&limit=%201`, { param: "limit" }],
    [`${PERIOD}&limit=0x1`, { param: "limit" }],
    [`${PERIOD}&limit=`, { param: "limit" }],
    [`${PERIOD}&limit`, { param: "limit" }],
    [`${PERIOD}&limit=%D9%A1`, { param: "limit" }],
    [`${PERIOD}&limit=1&limit=1`, { param: "limit" }],
    [`${PERIOD}&from=2026-01-01`, { param: "from" }],
    [`${PERIOD}&fro%6d=2026-01-01`, { param: "from" }],
    [`${PERIOD}&starting_after=`, { param: "starting_after" }],
    [`${PERIOD}&starting_after=pay_x`, { param: "starting_after" }],
    [`${PERIOD}&starting_after=${"a".repeat(65)}`, { param: "starting_after" }],
    [`${PERIOD}&starting_after=%00`, { param: null }],
    [`${PERIOD}&status=succeeded`, { code: "unknown_parameter", param: "status" }],
    [`${PERIOD}&x`, { code: "unknown_parameter", param: "x" }],
    [`${PERIOD}&limit[]=1`, { code: "unknown_parameter", param: "limit[]" }],
    [`${PERIOD}&__proto__=1`, { code: "unknown_parameter", param: "__proto__" }],
    [`${PERIOD}&constructor=1`, { code: "unknown_parameter", param: "constructor" }],
    [`${PERIOD}&startingAfter=a`, { code: "unknown_parameter", param: "startingAfter" }],
    [`${PERIOD}&=1`, { code: "unknown_parameter", param: "" }],
  ];
  test.each(refused)("GET /v1/payments?%s", async (query, refusal) => {
    await on.expectRefused(async () => await on.api.get(`/v1/payments?${query}`), refusal);
  });

  test("the edges are accepted: limit 1 and 100, one day, the first year", async () => {
    for (const query of [
      `${PERIOD}&limit=1`,
      `${PERIOD}&limit=100`,
      "from=2026-01-01&to=2026-01-01",
      "from=0001-01-01&to=9999-12-31",
    ]) {
      expect((await on.api.get(`/v1/payments?${query}`)).status).toBe(200);
    }
  });

  test("any other endpoint takes none: 400 unknown_parameter", async () => {
    const unknown = { code: "unknown_parameter", param: "amount" };
    await on.expectRefused(async () => await on.api.get("/v1/payments/pay_x?amount=1"), unknown);
    for (const operation of OPERATIONS) {
      const ask = async (): Promise<Answer> =>
        await on.api.post(`${on.urls[operation]}?amount=1`, VALID[operation]);
      await on.expectRefused(ask, unknown);
    }
  });
});
