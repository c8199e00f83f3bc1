import { describe, expect, test } from "vitest";
import { Api } from "../support/api.ts";
import { CHECKOUT_BASE } from "../support/core-options.ts";
import { expectError } from "../support/error-answer.ts";
import { overEachTransport } from "../support/transports.ts";

const LEAST = { amount: 5000, currency: "BRL" };

const many = (count: number): Record<string, number> =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, index]));

const transports = await overEachTransport({ collectFields: ["phone"] });

describe.each(transports)("POST /v1/payment_links over the $kind transport", ({ service, tenant, api }) => {
  const create = async (more: object = {}) => await api.post("/v1/payment_links", { ...LEAST, ...more });

  test("201: the service object with every default", async () => {
    const { status, body, headers } = await create();
    expect(status).toBe(201);
    expect(headers["content-type"]).toBe("application/json; charset=utf-8");
    expect(headers["x-request-id"]).toMatch(/^req_[0-9a-z]{26}$/);
    const created = Math.floor(service.clock.nowMs() / 1000);
    expect(Math.abs(body.created - created)).toBeLessThanOrEqual(1);
    expect(body).toEqual({
      id: expect.stringMatching(/^pl_[0-9a-z]{26}$/),
      mode: "test",
      status: "active",
      checkout_url: `${CHECKOUT_BASE}/pay/${body.id}`,
      amount: 5000,
      currency: "BRL",
      reference: null,
      target_currency: "BRL",
      charge_currency: "BRL",
      merchant_payout_currency: "BRL",
      payment_methods: ["pix"],
      max_installments: 12,
      fee_handling: "absorb",
      expires_at: body.created + 86_400,
      description: null,
      product_ref: null,
      details: null,
      product_images: [],
      collect_fields: ["phone"],
      metadata: {},
      created: body.created,
      campaign: false,
      quote_id: null,
      payment_intent_id: null,
      updated_at: null,
    });
  });

  test("each POST of a link answers what GET answers next", async () => {
    const made = await api.post("/v1/payment_links", { ...LEAST, campaign: true, reference: "a" });
    const path = `/v1/payment_links/${made.body.id}`;
    const read = async () => (await api.get(path)).text;
    expect(made.text).toBe(await read());
    for (const [address, body] of [
      [path, { description: "Lamp" }],
      [path, { description: "Lamp" }],
      [`${path}/cancel`, ""],
      [`${path}/cancel`, ""],
      [`${path}/reactivate`, ""],
      [`${path}/reactivate`, ""],
    ] as const) {
      const changed = await api.post(address, body);
      expect(changed.text).toBe(await read());
      expect(changed.body).toMatchObject({ campaign: true, updated_at: expect.any(Number) });
    }
  });

  test("201: every field as it was sent", async () => {
    const sent = {
      reference: "order-1042",
      payment_methods: ["card", "pix"],
      max_installments: 21,
      fee_handling: "pass_through",
      description: "Running shoes",
      product_ref: "SKU-7",
      details: "Blue, 42",
      product_images: ["https://img.example/1.png", "not a url"],
      collect_fields: ["address"],
      payer_fields: { name: "required", email: "optional", tax_id: "optional" },
      metadata: { order: "1042", nested: { list: [1, "two", null, true, 0.5] }, constructor: "x" },
    };
    const { status, body } = await create({ ...sent, expires_in: 60 });
    expect(status).toBe(201);
    expect(body).toMatchObject({ ...sent, expires_at: body.created + 60 });
  });

  test.each([
    ["mode is derived from the key used", "liveKey", {}, { mode: "live" }],
    ["expires_in = 0 means the link never expires", "testKey", { expires_in: 0 }, { expires_at: 0 }],
    ["a campaign never expires when expires_in is omitted", "testKey", { campaign: true }, { expires_at: 0 }],
    [
      "collect_fields given empty asks for nothing",
      "testKey",
      { collect_fields: [] },
      { collect_fields: [] },
    ],
    [
      "target_currency is derived: USD when the link is in USD",
      "testKey",
      { currency: "USD" },
      { target_currency: "USD", charge_currency: "BRL", merchant_payout_currency: "BRL" },
    ],
  ] as const)("%s", async (_sentence, key, more, expected) => {
    const { status, body } = await new Api(service, tenant[key]).post("/v1/payment_links", {
      ...LEAST,
      ...more,
    });
    expect(status).toBe(201);
    expect(body).toMatchObject(expected);
  });

  test.each([
    ["amount", { amount: 999_999_999_999 }, { amount: 1_000_000_000_000 }],
    ["amount", { amount: 101 }, { amount: 0 }],
    ["reference", { reference: "é".repeat(255) }, { reference: "é".repeat(256) }],
    ["description", { description: "d".repeat(500) }, { description: "d".repeat(501) }],
    ["details", { details: "d".repeat(500) }, { details: "d".repeat(501) }],
    ["product_ref", { product_ref: "p".repeat(255) }, { product_ref: "p".repeat(256) }],
    ["product_images", { product_images: Array(5).fill("i") }, { product_images: Array(6).fill("i") }],
    ["metadata", { metadata: many(20) }, { metadata: many(21) }],
    ["metadata", { metadata: { a: many(1999) } }, { metadata: { a: many(2000) } }],
    ["expires_in", { expires_in: 0 }, { expires_in: -1 }],
    [
      "max_installments",
      { payment_methods: ["card"], max_installments: 21 },
      { payment_methods: ["card"], max_installments: 22 },
    ],
    [
      "max_installments",
      { payment_methods: ["card"], max_installments: 1 },
      { payment_methods: ["card"], max_installments: 0 },
    ],
  ])("the limit of %s: at the edge 201, one past it 400", async (param, edge, past) => {
    expect((await create(edge)).status).toBe(201);
    expectError(await create(past), { param });
  });

  test.each([
    ["payment_methods", { payment_methods: [] }],
    ["payment_methods", { payment_methods: ["pix", "pix"] }],
    ["payment_methods", { payment_methods: ["ted"] }],
    ["max_installments", { max_installments: 3 }],
    ["currency", { currency: "EUR" }],
    ["fee_handling", { fee_handling: "split" }],
    ["collect_fields", { collect_fields: ["email"] }],
    ["collect_fields", { collect_fields: ["phone", "phone"] }],
    ["payer_fields", { payer_fields: { name: "yes" } }],
    ["payer_fields", { payer_fields: ["name"] }],
    ["amount", { amount: undefined }],
    ["currency", { currency: undefined }],
    ["reference", { reference: null }],
  ])("400 invalid_request with param %s for %j", async (param, more) => {
    expectError(await create(more), { param });
  });

  test("Economic protection: with absorb, a net that would be <= 0 is 400 merchant_net_not_positive", async () => {
    expectError(await create({ amount: 100 }), { code: "merchant_net_not_positive" });
    expect((await create({ amount: 101 })).status).toBe(201);
    expect((await create({ amount: 100, fee_handling: "pass_through" })).status).toBe(201);
  });

  test("an unknown key returns 400 unknown_parameter with param set to the key", async () => {
    for (const key of [
      "target_currency",
      "charge_currency",
      "merchant_payout_currency",
      "Amount",
      "__proto__",
    ]) {
      const refused = await api.post("/v1/payment_links", `{"amount":5000,"currency":"BRL","${key}":"USD"}`);
      expectError(refused, { code: "unknown_parameter", param: key });
    }
  });

  test("A key with the prefix svc_ returns 400 reserved_metadata_key with param set to that key", async () => {
    const refused = await create({ metadata: { order: 1, svc_order: 2 } });
    expectError(refused, { code: "reserved_metadata_key", param: "svc_order" });
  });

  test("metadata comes back with the numbers that were written; what cannot be kept is 400", async () => {
    const send = async (number: string) =>
      await api.post("/v1/payment_links", `{"amount":5000,"currency":"BRL","metadata":{"n":${number}}}`);
    for (const [number, value] of [
      ["1.50", 1.5],
      ["1e20", 1e20],
      ["0.1", 0.1],
      ["1e308", 1e308],
      ["5e-324", 5e-324],
    ] as const) {
      const { status, body } = await send(number);
      expect([status, body.metadata]).toEqual([201, { n: value }]);
    }
    for (const number of ["1e-400", "12345678901234567890", "0.30000000000000000001", "1e400"]) {
      expectError(await send(number), { param: "metadata" });
    }
    const proto = await api.post(
      "/v1/payment_links",
      '{"amount":5000,"currency":"BRL","metadata":{"__proto__":1}}',
    );
    expectError(proto, { param: "metadata" });
  });

  test("a body that is no JSON has no param", async () => {
    expectError(await api.post("/v1/payment_links", '{"amount":5000,"currency":BRL}'));
  });

  test("payment_method_unsupported: a method that the tenant has not contracted", async () => {
    const pixOnly = await service.createTenant({ paymentMethods: ["pix"] });
    const refused = await new Api(service, pixOnly.testKey).post("/v1/payment_links", {
      ...LEAST,
      payment_methods: ["pix", "card"],
    });
    expectError(refused, { code: "payment_method_unsupported", param: "payment_methods" });
  });

  test("the default of max_installments is the tenant's limit where that is lower", async () => {
    const three = await service.createTenant({ maxInstallments: 3 });
    const threeApi = new Api(service, three.testKey);
    expect((await threeApi.post("/v1/payment_links", LEAST)).body.max_installments).toBe(3);
    const refused = await threeApi.post("/v1/payment_links", {
      ...LEAST,
      payment_methods: ["card"],
      max_installments: 4,
    });
    expectError(refused, { param: "max_installments" });
  });
});
