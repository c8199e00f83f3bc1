import { createClient } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-node";
import { describe, expect, test, vi } from "vitest";
import { LedgerService } from "../../gen/paylink/ledger/v1/ledger_pb.ts";
import { createCoreHttpServer } from "../../src/listeners.ts";
import { Api } from "../support/api.ts";
import { startService } from "../support/service.ts";
import { overEachTransport } from "../support/transports.ts";

const DAY = "2026-03-10";
const PAGE = `/v1/payments?from=${DAY}&to=${DAY}`;
const ODD = { b: String.raw`"\/" é\u2028`, 1: [1.5, 1e20, 0.1, -7, null, true, {}], "": { "": [] } };
const LARGE = { ...ODD, many: Array.from({ length: 1900 }, (_, index) => `${index}`.padStart(28, "x")) };
const METADATA = [{}, { order: "1" }, LARGE, { odd: "1" }, LARGE];

const transports = await overEachTransport();
const scenes = await Promise.all(
  transports.map(async (on) => {
    const ids: string[] = [];
    for (const [index, metadata] of METADATA.entries()) {
      on.service.clock.set(new Date(`${DAY}T12:0${index}:00-03:00`));
      const link = await on.api.post("/v1/payment_links", { amount: 5000, currency: "BRL", metadata });
      const path = `/v1/payment_links/${link.body.id}/simulate_payment`;
      ids.unshift((await on.api.post(path, { outcome: "succeeded" })).body.id);
    }
    return { ...on, ids };
  }),
);

describe.each(scenes)("large metadata over the $kind transport", ({ service, tenant, api, ids }) => {
  test("a page and a payment have it as it was given, in the bytes of JSON.stringify", async () => {
    const { text, body } = await api.get(PAGE);
    expect(body.data.map(({ metadata }: { metadata: object }) => metadata)).toEqual(METADATA.toReversed());
    expect(text).toBe(JSON.stringify(body));
    const each = await Promise.all(ids.map(async (id) => (await api.get(`/v1/payments/${id}`)).text));
    expect(text).toBe(`{"data":[${each.join(",")}],"has_more":false,"next_cursor":null}`);
  });

  test("a page of links has it as each link alone, in the same bytes", async () => {
    const { text, body } = await api.get("/v1/payment_links");
    expect(body.data.map(({ metadata }: { metadata: object }) => metadata)).toEqual(METADATA.toReversed());
    const linkIds = body.data.map(({ id }: { id: string }) => id);
    const each = await Promise.all(
      linkIds.map(async (id: string) => (await api.get(`/v1/payment_links/${id}`)).text),
    );
    expect(text).toBe(`{"data":[${each.join(",")}],"has_more":false,"next_cursor":null}`);
  });

  test.each([PAGE, "/v1/payment_links"])("the page %s parses and writes none of it", async (url) => {
    const [parse, write] = [vi.spyOn(JSON, "parse"), vi.spyOn(JSON, "stringify")];
    const authorization = `Bearer ${tenant.testKey}`;
    const { body } = await service.gateway.inject({ url, headers: { authorization } });
    // The test service itself holds every body against the documented schema.
    const parsed = parse.mock.calls.flatMap(([text]) => (text === body ? [] : text.length));
    const written = write.mock.results.map(({ value }) => String(value).length);
    vi.restoreAllMocks();
    expect(body.length).toBeGreaterThan(100_000);
    expect(Math.max(0, ...parsed)).toBeLessThan(2000);
    expect(Math.max(0, ...written)).toBeLessThan(5000);
  });

  test("a page of quotes reads none of the fee strategies of their intents", async () => {
    const terms = { amount: 5000, currency: "BRL" };
    const { body } = await api.post("/v1/payment_intents", { ...terms, fee_strategy: LARGE });
    const quote = await api.post("/v1/quotes", { payment_intent_id: body.id, payment_method: "pix" });
    expect(quote.status).toBe(201);
    // The driver has its own JSON.parse. The ORM writes what it maps again.
    const write = vi.spyOn(JSON, "stringify");
    const { data } = (await api.get("/v1/quotes")).body;
    const written = write.mock.results.map(({ value }) => String(value).length);
    vi.restoreAllMocks();
    expect(data).toMatchObject([{ id: quote.body.id, payment_intent_id: body.id }]);
    expect(Math.max(...written)).toBeLessThan(5000);
  });
});

test("a caller that asks for no texts gets every value, in binary and in JSON", async () => {
  const service = await startService();
  const tenant = await service.createTenant();
  const api = new Api(service, tenant.testKey);
  service.clock.set(new Date(`${DAY}T12:00:00-03:00`));
  const link = await api.post("/v1/payment_links", { amount: 5000, currency: "BRL", metadata: LARGE });
  await api.post(`/v1/payment_links/${link.body.id}/simulate_payment`, { outcome: "succeeded" });
  const http = await createCoreHttpServer(service.core);
  const baseUrl = await http.listen({ host: "127.0.0.1", port: 0 });
  const headers = { ...service.internal.headers, "paylink-tenant": tenant.id, "paylink-mode": "test" };
  for (const useBinaryFormat of [true, false]) {
    const transport = createConnectTransport({ baseUrl, httpVersion: "1.1", useBinaryFormat });
    const ledger = createClient(LedgerService, transport);
    const { data } = await ledger.listPayments({ from: DAY, to: DAY }, { headers });
    expect(data[0]?.metadata).toEqual(LARGE);
  }
  await http.close();
  await service.close();
});
