import { createClient } from "@connectrpc/connect";
import { compactVerify, createLocalJWKSet } from "jose";
import { describe, expect, test } from "vitest";
import { IdentityService } from "../../gen/paylink/identity/v1/identity_pb.ts";
import { Api } from "../support/api.ts";
import { expectError } from "../support/error-answer.ts";
import { quotersOverEachTransport } from "./quoters.ts";

const transports = await quotersOverEachTransport();

describe.each(transports)("POST /v1/quotes over the $kind transport", ({ service, tenant, api, usdApi }) => {
  test("201: the Quote object, without fx when nothing is converted", async () => {
    const { status, text, body } = await api.post("/v1/quotes", {
      amount: 15_990,
      currency: "BRL",
      payment_method: "pix",
    });
    expect(status).toBe(201);
    expect(body).toEqual({
      id: expect.stringMatching(/^qt_[0-9a-z]{26}$/),
      tenant_id: tenant.id,
      mode: "test",
      payment_intent_id: null,
      payment_method: "pix",
      installments: 1,
      payer_total: 15_990,
      payer_currency: "BRL",
      receiver_net: 15_792,
      receiver_currency: "BRL",
      breakdown: {
        fee_handling: "absorb",
        total_fee: { amount: 198, currency: "BRL" },
        service_fee: {
          final_cents: 198,
          final_currency: "BRL",
          percent_amount_cents: 158,
          fixed_cents: 40,
          raw_total_cents: 198,
          min_applied: false,
          max_applied: false,
        },
        installment_surcharge: { amount: 0, currency: "BRL" },
        tax: { iof_amount_cents: 0, iof_applicable: false, iof_enabled: false, iof_currency: "BRL" },
      },
      rule_id: expect.stringMatching(/^rul_/),
      expires_at: body.created_at + 1800,
      signature: expect.any(String),
      created_at: expect.any(Number),
    });
    expect(text).not.toContain('"fx');
  });

  test("fx: the public rate with six decimals, locked now and valid for 3600 seconds", async () => {
    const { text, body } = await usdApi.post("/v1/quotes", {
      amount: 10_000,
      currency: "USD",
      payment_method: "pix",
    });
    expect(body.fx).toEqual({
      rate: 5.513582,
      base: "USD",
      quote: "BRL",
      locked_at: body.created_at,
      valid_until: body.created_at + 3600,
      rate_history_id: body.fx_rate_history_id,
    });
    expect(text).toContain('"rate":5.513582,');
    expect(text).not.toMatch(/spot|coverage|source|5\.4321/);
  });

  test("merchant_net_not_positive with absorb at 100; scenarios leave such payment options out", async () => {
    const one = await api.post("/v1/quotes", { amount: 100, currency: "BRL", payment_method: "pix" });
    expectError(one, { code: "merchant_net_not_positive" });
    const all = await api.post("/v1/quotes", { amount: 100, currency: "BRL" });
    expect(all.status).toBe(201);
    expect(all.body).toEqual({ scenarios: { pix: null, ted: null, card: [] } });
  });

  test("payment_method omitted: all scenarios, each an own quote that can be accepted", async () => {
    const { status, body } = await api.post("/v1/quotes", { amount: 20_000, currency: "BRL" });
    expect(status).toBe(201);
    const { pix, ted, card } = body.scenarios;
    expect(card.map((scenario: { installments: number }) => scenario.installments)).toEqual(
      Array.from({ length: 21 }, (_, index) => index + 1),
    );
    expect(pix).toEqual({
      quote_id: expect.stringMatching(/^qt_/),
      method: "pix",
      installments: 1,
      payer_total: 20_000,
      payer_currency: "BRL",
      receiver_net: 19_762,
      receiver_currency: "BRL",
      expires_at: expect.any(Number),
      signature: expect.any(String),
    });
    expect(ted.method).toBe("ted");
    const accepted = await api.post(`/v1/quotes/${card[5].quote_id}/accept`, { name: "Shoes" });
    expect(accepted.status).toBe(201);
    expect(accepted.body).toMatchObject({ payment_method: "card", installments: 6, payer_total: 20_000 });
  });

  test("installments without a method cap the card list; a method that the tenant lacks is null", async () => {
    const some = await service.createTenant({ paymentMethods: ["card"], maxInstallments: 6 });
    const someApi = new Api(service, some.testKey);
    const capped = await someApi.post("/v1/quotes", { amount: 20_000, currency: "BRL", installments: 3 });
    expect(capped.body.scenarios).toMatchObject({ pix: null, ted: null });
    expect(capped.body.scenarios.card).toHaveLength(3);
    const all = await someApi.post("/v1/quotes", { amount: 20_000, currency: "BRL" });
    expect(all.body.scenarios.card).toHaveLength(6);
  });

  test("installments: default 12 for a card, 1 for pix; more than 1 by pix or ted is 400", async () => {
    const quote = (more: object) => api.post("/v1/quotes", { amount: 20_000, currency: "BRL", ...more });
    expect((await quote({ payment_method: "card" })).body.installments).toBe(12);
    expect((await quote({ payment_method: "ted" })).body.installments).toBe(1);
    for (const payment_method of ["pix", "ted"]) {
      expectError(await quote({ payment_method, installments: 2 }), { param: "installments" });
    }
    for (const installments of [0, 22]) {
      expectError(await quote({ payment_method: "card", installments }), { param: "installments" });
    }
  });

  test("the signature is a compact JWS that the published keys verify, over exactly these terms", async () => {
    const { body } = await usdApi.post("/v1/quotes", {
      amount: 10_000,
      currency: "USD",
      payment_method: "pix",
    });
    const jwks = await service.gateway.inject({ url: "/.well-known/jwks.json" });
    expect(jwks.statusCode).toBe(200);
    const { payload, protectedHeader } = await compactVerify(body.signature, createLocalJWKSet(jwks.json()));
    expect(protectedHeader.alg).toBe("EdDSA");
    expect(JSON.parse(Buffer.from(payload).toString())).toMatchObject({
      quote_id: body.id,
      payer_total: body.payer_total,
      receiver_net: body.receiver_net,
      expires_at: body.expires_at,
    });
    expect(jwks.body).not.toContain('"d"');
  });

  test("the legacy shape: payment_intent_id gives amount and currency", async () => {
    const intent = await api.post("/v1/payment_intents", {
      amount: 15_990,
      currency: "BRL",
      settlement_term: "D+7",
    });
    const { status, body } = await api.post("/v1/quotes", {
      payment_intent_id: intent.body.id,
      payment_method: "card",
      installments: 2,
    });
    expect(status).toBe(201);
    expect(body).toMatchObject({ payment_intent_id: intent.body.id, payer_total: 15_990, installments: 2 });
  });

  test("the legacy shape: an intent whose legal entity was replaced is refused on payment_intent_id", async () => {
    const two = await service.createTenant();
    const own = new Api(service, two.testKey);
    const intent = await own.post("/v1/payment_intents", { amount: 15_990, currency: "BRL" });
    const identity = createClient(IdentityService, service.core.transport);
    const next = { tenantId: two.id, name: "Successor", payoutCurrency: "BRL" };
    await identity.createLegalEntity(next, service.internal);
    const former = { tenantId: two.id, id: two.legalEntityId };
    await identity.deactivateLegalEntity(former, service.internal);
    const asked = { payment_intent_id: intent.body.id, payment_method: "pix" };
    expectError(await own.post("/v1/quotes", asked), { param: "payment_intent_id" });
    const direct = { amount: 15_990, currency: "BRL", payment_method: "pix" };
    expect((await own.post("/v1/quotes", direct)).status).toBe(201);
  });

  test.each([
    [{ amount: 1, currency: "BRL", payment_intent_id: "pi_1" }, "amount"],
    [{ currency: "BRL" }, "amount"],
    [{ amount: 1000 }, "currency"],
    [{}, "amount"],
    [{ payment_intent_id: "pi_1", fee_handling: "absorb" }, "fee_handling"],
    [{ payment_intent_id: "pi_1" }, "payment_intent_id"],
    [{ amount: 1000, currency: "BRL", payment_method: "boleto" }, "payment_method"],
  ])("400 invalid_request for %j", async (body, param) => {
    expectError(await api.post("/v1/quotes", body), { param });
  });

  test("payment_method_unsupported: ted not contracted", async () => {
    const pixOnly = await service.createTenant({ paymentMethods: ["pix"] });
    const refused = await new Api(service, pixOnly.testKey).post("/v1/quotes", {
      amount: 1e3,
      currency: "BRL",
      payment_method: "ted",
    });
    expectError(refused, { code: "payment_method_unsupported", param: "payment_method" });
  });
});
