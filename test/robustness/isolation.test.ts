import { describe, expect, test } from "vitest";
import { newId, type IdPrefix } from "../../contract/ids.ts";
import { Api, type Answer } from "../support/api.ts";
import { expectError } from "../support/error-answer.ts";
import { forFile } from "../support/for-file.ts";
import { startService } from "../support/service.ts";
import { newScopes, seen, type Belongings } from "./belongings.ts";

const service = await forFile(startService());
const mine = await newScopes(service);
const others = await newScopes(service);

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
