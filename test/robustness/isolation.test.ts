import { describe, expect, test } from "vitest";
import { newId, type IdPrefix } from "../../contract/ids.ts";
import { Api, type Answer } from "../support/api.ts";
import { DatabaseRows } from "../support/database-rows.ts";
import { expectError } from "../support/error-answer.ts";
import { forFile } from "../support/for-file.ts";
import { startService, type TestTenant } from "../support/service.ts";

/** What one tenant has in one mode. */
interface Belongings {
  readonly legalEntityId: string;
  readonly link: string;
  readonly quote: string;
  readonly intent: string;
  /** Live payments come from payers only: there is none here. */
  readonly payment: string | undefined;
}

interface Scope {
  readonly api: Api;
  readonly has: Belongings;
}

async function belongings(api: Api, { legalEntityId }: TestTenant, pays: boolean): Promise<Belongings> {
  const amount = { amount: 15_990, currency: "BRL" };
  const link = await api.post("/v1/payment_links", { ...amount, reference: "mine" });
  const quote = await api.post("/v1/quotes", { ...amount, payment_method: "pix" });
  const intent = await api.post("/v1/payment_intents", amount);
  const paid = await api.post("/v1/payment_links", { ...amount, campaign: true });
  const payment = pays
    ? await api.post(`/v1/payment_links/${paid.body.id}/simulate_payment`, { outcome: "succeeded" })
    : undefined;
  return {
    legalEntityId,
    link: link.body.id,
    quote: quote.body.id,
    intent: intent.body.id,
    payment: payment?.body.id,
  };
}

const service = await forFile(startService());
const rows = await forFile(new DatabaseRows(service.databaseUrl).open());
const scopes = async () => {
  const tenant = await service.createTenant();
  const [inTest, inLive] = [new Api(service, tenant.testKey), new Api(service, tenant.liveKey)];
  return {
    test: { api: inTest, has: await belongings(inTest, tenant, true) },
    live: { api: inLive, has: await belongings(inLive, tenant, false) },
  };
};
const mine = await scopes();
const others = await scopes();

/** All that a caller sees of an answer, but for what differs between any two requests. */
function seen({ status, headers, text }: Answer) {
  const requestId = String(headers["x-request-id"]);
  const { "x-request-id": _, date: __, ...rest } = headers;
  return { status, headers: rest, text: text.replaceAll(requestId, "REQUEST_ID") };
}

type Ask = (api: Api, id: string) => Promise<Answer>;
type Kind = Exclude<keyof Belongings, "legalEntityId">;

type Refusal = { status: number; code: string; param?: string };

const endpoints: [name: string, kind: Kind, ask: Ask, refusal: Refusal, success: number][] = [
  [
    "GET /v1/payments/{id}",
    "payment",
    (api, id) => api.get(`/v1/payments/${id}`),
    { status: 404, code: "payment_not_found" },
    200,
  ],
  [
    "GET /v1/payments?starting_after",
    "payment",
    (api, id) => api.get(`/v1/payments?from=2020-01-01&to=2099-01-01&starting_after=${id}`),
    { status: 400, code: "invalid_request", param: "starting_after" },
    200,
  ],
  [
    "GET /v1/payments/{id}/refunds",
    "payment",
    (api, id) => api.get(`/v1/payments/${id}/refunds`),
    { status: 404, code: "payment_not_found" },
    200,
  ],
  [
    "POST /v1/payments/{id}/refunds",
    "payment",
    (api, id) => api.post(`/v1/payments/${id}/refunds`, { amount: 1 }),
    { status: 404, code: "payment_not_found" },
    201,
  ],
  [
    "POST /v1/quotes/{id}/accept",
    "quote",
    (api, id) => api.post(`/v1/quotes/${id}/accept`, { name: "Shoes" }),
    { status: 404, code: "quote_not_found" },
    201,
  ],
  [
    "POST /v1/payment_links/{id}/simulate_payment",
    "link",
    (api, id) => api.post(`/v1/payment_links/${id}/simulate_payment`, { outcome: "succeeded" }),
    { status: 404, code: "payment_link_not_found" },
    200,
  ],
  [
    "POST /v1/quotes with payment_intent_id",
    "intent",
    (api, id) => api.post("/v1/quotes", { payment_intent_id: id, payment_method: "pix" }),
    { status: 400, code: "invalid_request", param: "payment_intent_id" },
    201,
  ],
];

const prefixes: Record<Kind, IdPrefix> = { payment: "pay", quote: "qt", link: "pl", intent: "pi" };

describe.each(endpoints)("%s", (_, kind, ask, refusal, success) => {
  const unknown = (api: Api): Promise<Answer> => ask(api, newId(prefixes[kind]));

  test("answers an id of another tenant exactly as an unknown one", async () => {
    const { api } = mine.test;
    const foreign = await ask(api, others.test.has[kind] ?? "");
    expectError(foreign, refusal);
    expect(seen(foreign)).toEqual(seen(await unknown(api)));
  });

  test("answers an id of the tenant's other mode exactly as an unknown one", async () => {
    // A live key may not simulate at all, so that there only the live id asked for in test mode says something.
    const [from, to] = kind === "payment" ? [mine.test, mine.live] : [mine.live, mine.test];
    const foreign = await ask(to.api, from.has[kind] ?? "");
    expectError(foreign, refusal);
    expect(seen(foreign)).toEqual(seen(await unknown(to.api)));
  });

  test("answers an id of another kind, a changed one and no id at all exactly as an unknown one", async () => {
    const { api, has } = mine.test;
    const own = has[kind] ?? "";
    const expected = seen(await unknown(api));
    const kinds: Kind[] = ["payment", "quote", "link", "intent"];
    const wrong = [
      ...kinds.filter((other) => other !== kind).map((other) => has[other] ?? ""),
      own.toUpperCase(),
      `${own}0`.slice(0, 64),
      own.slice(0, -1),
      own.slice(own.indexOf("_") + 1),
      "'--",
    ];
    for (const id of wrong) expect({ id, ...seen(await ask(api, id)) }).toEqual({ id, ...expected });
  });

  test("finds the own id, so that the refusals above mean something", async () => {
    const { api, has } = mine.test;
    const answer = await ask(api, has[kind] ?? "");
    expect(answer.status).toBe(success);
  });
});

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
