import { createClient } from "@connectrpc/connect";
import { describe, expect, test } from "vitest";
import { IdentityService } from "../../gen/paylink/identity/v1/identity_pb.ts";
import { Api } from "../support/api.ts";
import { expectError } from "../support/error-answer.ts";
import { overEachTransport } from "../support/transports.ts";

const transports = await overEachTransport({ settlementDays: 3 });

describe.each(transports)(
  "POST /v1/payment_intents (legacy) over the $kind transport",
  ({ service, tenant, api }) => {
    const create = (more: object = {}) =>
      api.post("/v1/payment_intents", { amount: 5000, currency: "BRL", ...more });

    test("201: the intent with its defaults, the tenant's entity and settlement window", async () => {
      const { status, body } = await create();
      expect(status).toBe(201);
      expect(body).toEqual({
        id: expect.stringMatching(/^pi_[0-9a-z]{26}$/),
        mode: "test",
        status: "created",
        legal_entity_id: tenant.legalEntityId,
        amount: 5000,
        currency: "BRL",
        payer_country: null,
        settlement_term: "D+3",
        fee_strategy: null,
        fx_rate_history_id: null,
        reference: null,
        metadata: {},
        created_at: expect.any(Number),
      });
    });

    test("201: every field as it was sent", async () => {
      const sent = {
        legal_entity_id: tenant.legalEntityId,
        payer_country: "BR",
        settlement_term: "D+30",
        fee_strategy: { who: "payer", tiers: [1, 2] },
        metadata: { a: 1 },
        reference: "r",
      };
      const { status, body } = await create(sent);
      expect(status).toBe(201);
      expect(body).toMatchObject(sent);
    });

    test("A quote_id key is not accepted here and returns 400 unknown_parameter", async () => {
      expectError(await create({ quote_id: "qt_1" }), { code: "unknown_parameter", param: "quote_id" });
    });

    test.each([
      ["settlement_term", "D+366"],
      ["settlement_term", "D+01"],
      ["settlement_term", "D-1"],
      ["settlement_term", "30"],
      ["payer_country", "BRA"],
      ["payer_country", "ZZ"],
      ["legal_entity_id", "le_unknown"],
      ["fee_strategy", "absorb"],
      ["metadata", []],
      ["reference", "r".repeat(256)],
      ["amount", 0],
      ["currency", "brl"],
    ])("400 invalid_request: %s %j", async (param, value) => {
      expectError(await create({ [param]: value }), { param });
    });

    test("no single active legal entity: name one", async () => {
      const two = await service.createTenant();
      const identity = createClient(IdentityService, service.core.transport);
      const second = { tenantId: two.id, name: "Second", payoutCurrency: "USD" };
      const { id } = await identity.createLegalEntity(second, service.internal);
      const twoApi = new Api(service, two.testKey);
      const body = { amount: 5000, currency: "BRL" };
      expectError(await twoApi.post("/v1/payment_intents", body), { param: "legal_entity_id" });
      const named = await twoApi.post("/v1/payment_intents", { ...body, legal_entity_id: id });
      expect(named.body.legal_entity_id).toBe(id);
      await identity.deactivateLegalEntity({ tenantId: two.id, id }, service.internal);
      const single = await twoApi.post("/v1/payment_intents", body);
      expect(single.body.legal_entity_id).toBe(two.legalEntityId);
    });
  },
);
