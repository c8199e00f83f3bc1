import { describe, expect, test } from "vitest";
import { Webhook } from "standardwebhooks";
import { Api } from "../support/api.ts";
import { expectError } from "../support/error-answer.ts";
import { forFile } from "../support/for-file.ts";
import { createMerchant } from "../support/merchant.ts";
import { startReceiver, type Received } from "../support/receiver.ts";
import { startService } from "../support/service.ts";

const ENDPOINTS = "/v1/webhook_endpoints";
const ENDPOINTS_MAX = 20;

const service = await forFile(startService());
const receiver = await forFile(startReceiver());

test("a key registers no address inside, in live mode no http, and no more endpoints than a user", async () => {
  const { api, tenant } = await createMerchant(service);
  const live = new Api(service, tenant.liveKey);
  const inside = [
    "http://example.com/",
    "https://127.0.0.1/",
    "https://10.0.0.1/",
    "https://[::1]/",
    "ftp://a/",
  ];
  for (const url of inside) expectError(await live.post(ENDPOINTS, { url }), { param: "url" });
  const { id } = (await api.post(ENDPOINTS, { url: receiver.url })).body;
  expectError(await api.post(`${ENDPOINTS}/${id}`, { url: "http://10.0.0.1/" }), { param: "url" });
  for (let count = 1; count < ENDPOINTS_MAX; count++) await api.post(ENDPOINTS, { url: receiver.url });
  expectError(await api.post(ENDPOINTS, { url: receiver.url }), { code: "quota_exceeded" });
  await api.post(`${ENDPOINTS}/${id}/delete`, "");
  expect((await api.get(ENDPOINTS)).body.data).toHaveLength(ENDPOINTS_MAX - 1);
  expect((await api.post(ENDPOINTS, { url: receiver.url })).status).toBe(201);
});

test("deliveries carry the secret that the key got, and are read and sent again by the key", async () => {
  const merchant = await createMerchant(service);
  const { api } = merchant;
  const event_types = ["payment.succeeded"];
  const made = await api.post(ENDPOINTS, { url: receiver.url, event_types });
  expect(made.body).toMatchObject({ status: "enabled", event_types, disabled_reason: null });
  const paid = (await merchant.pay({ reference: "order-1" })).body;
  const worker = service.core.startWorker();
  const [first] = (await receiver.until(1)) as [Received];
  const [delivery] = (await api.get(`/v1/webhook_deliveries?endpoint_id=${made.body.id}`)).body.data;
  await expect
    .poll(async () => (await api.get(`/v1/webhook_deliveries/${delivery.id}`)).body, { timeout: 30_000 })
    .toMatchObject({ status: "succeeded", attempt_count: 1, last_status_code: 200 });
  expect((await api.get(`/v1/webhook_deliveries/${delivery.id}/attempts`)).body.data).toMatchObject([
    { number: 1, status_code: 200, request_url: receiver.url },
  ]);
  expect(
    new Webhook(made.body.secret).verify(first.text, first.headers as Record<string, string>),
  ).toMatchObject({
    id: delivery.event_id,
    data: { payment: paid },
  });
  expect((await api.get(`/v1/events/${delivery.event_id}`)).text).toBe(first.text);
  const again = await api.post("/v1/webhook_resends", { delivery_ids: [delivery.id] });
  expect(again.body).toEqual({ delivery_count: 1, left_out_count: 0 });
  const [, second] = (await receiver.until(2)) as [Received, Received];
  expect(second.text).toBe(first.text);
  await worker.stop();
});

test("DELETE of an endpoint is POST …/delete by another name: one idempotency key is for both", async () => {
  const { api } = await createMerchant(service);
  const { id } = (await api.post(ENDPOINTS, { url: receiver.url })).body;
  const byKey = { idempotencyKey: "delete-1" };
  const deleted = await api.delete(`${ENDPOINTS}/${id}`, byKey);
  expect([deleted.status, deleted.text]).toEqual([200, "{}"]);
  const again = await api.post(`${ENDPOINTS}/${id}/delete`, "", byKey);
  expect([again.status, again.headers["idempotent-replay"]]).toEqual([200, "true"]);
  const gone = { status: 404, code: "webhook_endpoint_not_found" };
  expectError(await api.get(`${ENDPOINTS}/${id}`), gone);
  expectError(await api.delete(`${ENDPOINTS}/${id}`), gone);
});

describe("a list by days", () => {
  const DAY_SECONDS = 86_400;
  const dayOf = (unixSeconds: number) =>
    new Date((unixSeconds - 3 * 3600) * 1000).toISOString().slice(0, "2026-01-01".length);

  test.each([
    ["/v1/events", "created"],
    ["/v1/webhook_deliveries", "created_at"],
    ["/v1/quotes", "created_at"],
  ] as const)("%s: from and to are days of São Paulo, both inclusive", async (path, time) => {
    const { api, pay } = await createMerchant(service);
    await api.post(ENDPOINTS, { url: receiver.url, event_types: ["payment.succeeded"] });
    const make = async () => {
      await pay();
      await api.post("/v1/quotes", { amount: 5000, currency: "BRL", payment_method: "pix" });
    };
    await make();
    service.clock.advance(2 * DAY_SECONDS);
    await make();
    const type = path === "/v1/quotes" ? "" : "&type=payment.succeeded";
    const read = async (query: string) => (await api.get(`${path}?${query}${type}`)).body.data;
    const [newer, older] = await read("limit=2");
    const [first, last] = [dayOf(older[time]), dayOf(newer[time])];
    const between = dayOf(older[time] + DAY_SECONDS);
    expect(await read(`from=${first}&to=${last}`)).toEqual([newer, older]);
    expect(await read(`from=${first}`)).toEqual([newer, older]);
    expect(await read(`from=${last}`)).toEqual([newer]);
    expect(await read(`to=${first}`)).toEqual([older]);
    expect(await read(`from=${between}&to=${between}`)).toEqual([]);
    const since = older[time] + 1;
    if (path !== "/v1/quotes") expect(await read(`since=${since}&from=${first}`)).toEqual([newer]);
    expectError(await api.get(`${path}?from=${last}&to=${first}`), { param: "from" });
    expectError(await api.get(`${path}?to=2026-02-30`), { param: "to" });
  });
});

test("a delivery and its list have the event's type by both names, and refuse two that differ", async () => {
  const { api, pay } = await createMerchant(service);
  await api.post(ENDPOINTS, { url: receiver.url, event_types: ["payment.succeeded"] });
  await pay();
  const read = async (query: string) => (await api.get(`/v1/webhook_deliveries?${query}`)).body.data;
  const type = "payment.succeeded";
  const all = await read("");
  expect(all).toMatchObject([{ type, event_type: type }]);
  for (const query of [`type=${type}`, `event_type=${type}`, `type=${type}&event_type=${type}`])
    expect(await read(query)).toEqual(all);
  expect(await read("type=payment.failed")).toEqual([]);
  const differing = `/v1/webhook_deliveries?type=${type}&event_type=payment.failed`;
  expectError(await api.get(differing), { param: "type", message: /give one of them/ });
  expectError(await api.get("/v1/webhook_deliveries?type=payment.paid"), { param: "type" });
});
