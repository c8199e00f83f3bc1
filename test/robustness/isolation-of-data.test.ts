import { describe, expect, test } from "vitest";
import { newId } from "../../contract/ids.ts";
import { Api, type Answer } from "../support/api.ts";
import { DatabaseRows } from "../support/database-rows.ts";
import { expectError } from "../support/error-answer.ts";
import { forFile } from "../support/for-file.ts";
import { startService } from "../support/service.ts";
import { belongings, newScopes, seen, type Scope } from "./belongings.ts";

const service = await forFile(startService());
const rows = await forFile(new DatabaseRows(service.databaseUrl).open());
const mine = await newScopes(service);
const others = await newScopes(service);

describe("Permission failures never return 404", () => {
  test("403 insufficient_scope for own, foreign and unknown ids alike", async () => {
    const tenant = await service.createTenant();
    const { key } = await service.createKey(tenant.id, "test", ["payments:read"]);
    const weak = new Api(service, key);
    const link = await new Api(service, tenant.testKey).post("/v1/payment_links", {
      amount: 15_990,
      currency: "BRL",
    });
    for (const id of [link.body.id as string, others.test.has.link, newId("pl")]) {
      const answer = await weak.post(`/v1/payment_links/${id}/simulate_payment`, { outcome: "succeeded" });
      expectError(answer, { status: 403, code: "insufficient_scope" });
    }
    for (const id of [others.test.has.quote, newId("qt")]) {
      const answer = await weak.post(`/v1/quotes/${id}/accept`, { name: "Shoes" });
      expectError(answer, { status: 403, code: "insufficient_scope" });
    }
  });

  test("403 not_available_in_live for a live, a test and an unknown link alike", async () => {
    for (const id of [mine.live.has.link, mine.test.has.link, others.live.has.link, newId("pl")]) {
      const answer = await mine.live.api.post(`/v1/payment_links/${id}/simulate_payment`, {
        outcome: "succeeded",
      });
      expectError(answer, { status: 403, code: "not_available_in_live" });
    }
  });
});

const askIntent = (api: Api, legalEntityId: string): Promise<Answer> =>
  api.post("/v1/payment_intents", { amount: 100, currency: "BRL", legal_entity_id: legalEntityId });

describe("POST /v1/payment_intents", () => {
  test("answers another tenant's legal entity exactly as an unknown one", async () => {
    for (const { api } of [mine.test, mine.live]) {
      const foreign = await askIntent(api, others.test.has.legalEntityId);
      expectError(foreign, { param: "legal_entity_id" });
      expect(seen(foreign)).toEqual(seen(await askIntent(api, newId("le"))));
      expect((await askIntent(api, mine.test.has.legalEntityId)).status).toBe(201);
    }
  });
});

describe("GET /v1/payments", () => {
  const PERIOD = "from=2020-01-01&to=2099-01-01&limit=100";
  const idsOf = async ({ api }: Scope): Promise<string[]> => {
    const { status, body } = await api.get(`/v1/payments?${PERIOD}`);
    expect({ status, hasMore: body.has_more }).toEqual({ status: 200, hasMore: false });
    return (body.data as { id: string }[]).map(({ id }) => id);
  };

  test("shows a tenant only its own payments of the key's mode", async () => {
    const tenants = [await service.createTenant(), await service.createTenant()];
    for (const tenant of tenants) {
      const api = new Api(service, tenant.testKey);
      const expected: string[] = [];
      for (let index = 0; index < 3; index++) {
        const { payment } = await belongings(api, tenant, true);
        expected.unshift(payment ?? "");
      }
      const ids = await idsOf({ api, has: mine.test.has });
      expect(ids.toSorted()).toEqual(expected.toSorted());
      const live = await new Api(service, tenant.liveKey).get(`/v1/payments?${PERIOD}`);
      expect(live.text).toBe('{"data":[],"has_more":false,"next_cursor":null}');
    }
  });

  test("pages do not run into another tenant's payments", async () => {
    const { api, has } = others.test;
    const older =
      "test.payment WHERE (created_at, id) < (SELECT created_at, id FROM test.payment WHERE id = $1)";
    expect(await rows.count(older, [has.payment])).toBeGreaterThan(0);
    const page = await api.get(`/v1/payments?${PERIOD}&starting_after=${has.payment}`);
    expect(page.text).toBe('{"data":[],"has_more":false,"next_cursor":null}');
  });
});

describe("data of a tenant is untouched by requests of others", () => {
  test("a quote refused to others is accepted by its owner, a link refused to others is still payable", async () => {
    const { has, api } = others.test;
    await mine.test.api.post(`/v1/quotes/${has.quote}/accept`, { name: "Shoes" });
    await mine.test.api.post(`/v1/payment_links/${has.link}/simulate_payment`, { outcome: "succeeded" });
    expect((await api.post(`/v1/quotes/${has.quote}/accept`, { name: "Shoes" })).status).toBe(201);
    const paid = await api.post(`/v1/payment_links/${has.link}/simulate_payment`, { outcome: "succeeded" });
    expect(paid.body).toMatchObject({ link_id: has.link, status: "succeeded", reference: "mine" });
  });

  test("nothing that a test key did is in the live schema, and nothing of payments at all", async () => {
    const live = await rows.countAll("live");
    expect(live).toMatchObject({ payment: 0 });
    const tenant = await service.createTenant();
    await belongings(new Api(service, tenant.testKey), tenant, true);
    expect(await rows.countAll("live")).toEqual(live);
    const inTest = await rows.countAll("test");
    await belongings(new Api(service, tenant.liveKey), tenant, false);
    expect(await rows.countAll("test")).toEqual(inTest);
  });
});
