import { beforeAll, describe, expect, test } from "vitest";
import { newId } from "../../contract/ids.ts";
import { Api } from "../support/api.ts";
import { DatabaseRows } from "../support/database-rows.ts";
import { expectError } from "../support/error-answer.ts";
import { forFile } from "../support/for-file.ts";
import { startService } from "../support/service.ts";

const service = await forFile(startService());
const rows = await forFile(new DatabaseRows(service.databaseUrl).open());
const mine = new Api(service, (await service.createTenant()).testKey);
const theirs = new Api(service, (await service.createTenant()).testKey);

const END_TO_END_ID = "E00000000202601011200abcdefghijk";

/** A link with this reference, and its payments by their outcomes, the newest first. */
async function newOrder(api: Api, reference: string, outcomes: readonly string[]) {
  const sale = { amount: 15_990, currency: "BRL", reference, campaign: true };
  const { id } = (await api.post("/v1/payment_links", sale)).body;
  const payments: string[] = [];
  for (const outcome of outcomes) {
    service.clock.advance(1);
    payments.unshift((await api.post(`/v1/payment_links/${id}/simulate_payment`, { outcome })).body.id);
  }
  return { link: id as string, payments };
}

const list = async (query: string, api = mine) => await api.get(`/v1/payments?${query}`);
const idsIn = ({ body }: { body: { data: { id: string }[] } }) => body.data.map(({ id }) => id);

let order: Awaited<ReturnType<typeof newOrder>>;
let other: typeof order;
let foreign: typeof order;
beforeAll(async () => {
  service.clock.set(new Date("2026-01-01T12:00:00-03:00"));
  order = await newOrder(mine, "A-17", ["failed", "expired", "succeeded"]);
  service.clock.advance(86_400);
  other = await newOrder(mine, "A-170", ["succeeded"]);
  foreign = await newOrder(theirs, "A-17", ["succeeded"]);
  const withId = "UPDATE test.payment SET end_to_end_id = $1 WHERE id = $2 OR id = $3";
  await rows.run(withId, [END_TO_END_ID, order.payments[0], foreign.payments[0]]);
});

describe("GET /v1/payments without a period", () => {
  test("by a reference finds exactly its payments of every status, the newest first", async () => {
    const found = await list("reference=A-17");
    expect(idsIn(found)).toEqual(order.payments);
    expect(found.body).toMatchObject({ has_more: false, next_cursor: null });
    expect(found.body.data[0]).toEqual((await mine.get(`/v1/payments/${order.payments[0]}`)).body);
    expect(idsIn(await list("reference=a-17"))).toEqual([]);
    expect(idsIn(await list("reference=A-17", theirs))).toEqual(foreign.payments);
  });

  test("by a link and by an end-to-end id finds the tenant's own", async () => {
    expect(idsIn(await list(`link_id=${order.link}`))).toEqual(order.payments);
    expect(idsIn(await list(`end_to_end_id=${END_TO_END_ID}`))).toEqual(order.payments.slice(0, 1));
    for (const id of [foreign.link, newId("pl"), "x"]) expect(idsIn(await list(`link_id=${id}`))).toEqual([]);
  });

  test("what is given holds together, with a period too", async () => {
    expect(idsIn(await list(`reference=A-17&link_id=${other.link}`))).toEqual([]);
    expect(idsIn(await list(`reference=A-170&link_id=${other.link}`))).toEqual(other.payments);
    expect(idsIn(await list("reference=A-17&from=2026-01-01&to=2026-01-01"))).toEqual(order.payments);
    expect(idsIn(await list("reference=A-17&from=2026-01-02&to=2026-01-02"))).toEqual([]);
    expect(idsIn(await list("reference=A-17&from=2026-01-02"))).toEqual([]);
    expect(idsIn(await list("reference=A-17&to=2026-01-01"))).toEqual(order.payments);
  });

  test.each(["reference=A-17", "reference=A-17&from=2026-01-01&to=2026-01-02"])(
    "pages by starting_after tile ?%s",
    async (query) => {
      const first = await list(`${query}&limit=2`);
      const next_cursor = order.payments[1];
      expect([idsIn(first), first.body]).toMatchObject([
        order.payments.slice(0, 2),
        { has_more: true, next_cursor },
      ]);
      const second = await list(`${query}&limit=2&starting_after=${next_cursor}`);
      expect([idsIn(second), second.body]).toMatchObject([
        order.payments.slice(2),
        { has_more: false, next_cursor: null },
      ]);
    },
  );

  test.each([
    ["", "from"],
    ["limit=5", "from"],
    ["reference=", "reference"],
    ["link_id=", "link_id"],
    ["end_to_end_id=", "end_to_end_id"],
    [`reference=${"x".repeat(256)}`, "reference"],
    ["reference=A-17&reference=A-17", "reference"],
    ["reference=A-17&limit=101", "limit"],
    [`reference=A-17&starting_after=${newId("pay")}`, "starting_after"],
  ])("400 invalid_request for ?%s", async (query, param) => {
    expectError(await list(query), { param });
  });

  test("there is no status filter", async () => {
    const refused = await list("reference=A-17&status=succeeded");
    expectError(refused, { code: "unknown_parameter", param: "status" });
  });

  test("an index leads to the payments of a reference, in their order", async () => {
    const sql = `SELECT id FROM test.payment WHERE tenant_id = 'ten_x' AND reference = 'A-17'
      ORDER BY created_at DESC, id DESC LIMIT 21`;
    await rows.run("SET enable_seqscan = off");
    const plan = await rows.read(`EXPLAIN ${sql}`);
    expect(plan.map((row) => row["QUERY PLAN"]).join("\n")).toContain("using payment_reference");
  });
});

describe("GET /v1/payment_links/{id}/payments", () => {
  const ofLink = async (id: string, query = "", api = mine) =>
    await api.get(`/v1/payment_links/${id}/payments${query}`);

  test("lists the payments of the link, page by page", async () => {
    const all = await ofLink(order.link);
    expect(all.text).toBe((await list(`link_id=${order.link}`)).text);
    const first = await ofLink(order.link, "?limit=1");
    expect([idsIn(first), first.body.next_cursor]).toEqual([order.payments.slice(0, 1), order.payments[0]]);
    const rest = await ofLink(order.link, `?starting_after=${first.body.next_cursor}`);
    expect(idsIn(rest)).toEqual(order.payments.slice(1));
  });

  test("of another tenant's link and of an unknown one is payment_link_not_found", async () => {
    for (const id of [foreign.link, newId("pl"), "x"]) {
      expectError(await ofLink(id), { status: 404, code: "payment_link_not_found" });
    }
  });

  test.each([
    ["?limit=101", { param: "limit" }],
    ["?starting_after=pay_x", { param: "starting_after" }],
    ["?status=failed", { code: "unknown_parameter", param: "status" }],
    ["?id=x", { code: "unknown_parameter", param: "id" }],
  ])("refuses %s", async (query, refusal) => {
    expectError(await ofLink(order.link, query), refusal);
  });
});

describe("GET /v1/payment_intents/{id}", () => {
  test("answers an intent as its creation did", async () => {
    const asked = { amount: 5000, currency: "BRL", reference: "A-17", metadata: { a: 1 } };
    const made = await mine.post("/v1/payment_intents", asked);
    expect((await mine.get(`/v1/payment_intents/${made.body.id}`)).text).toBe(made.text);
  });

  test("answers the intent of an accepted quote", async () => {
    const quote = await mine.post("/v1/quotes", { amount: 5000, currency: "BRL", payment_method: "pix" });
    const link = (await mine.post(`/v1/quotes/${quote.body.id}/accept`, { name: "x", reference: "A-18" }))
      .body;
    const intent = await mine.get(`/v1/payment_intents/${link.payment_intent_id}`);
    expect(intent.body).toMatchObject({ id: link.payment_intent_id, amount: 5000, reference: "A-18" });
    for (const id of [link.payment_intent_id, newId("pi"), "x"]) {
      const refused = await theirs.get(`/v1/payment_intents/${id}`);
      expectError(refused, { status: 404, code: "payment_intent_not_found" });
    }
  });
});
