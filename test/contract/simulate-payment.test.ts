import { createClient } from "@connectrpc/connect";
import { describe, expect, test } from "vitest";
import { Mode } from "../../gen/paylink/identity/v1/identity_pb.ts";
import { LinksService } from "../../gen/paylink/links/v1/links_pb.ts";
import { PricingService } from "../../gen/paylink/pricing/v1/pricing_pb.ts";
import { DECLINE_CODES } from "../../src/links/simulated-outcome.ts";
import { Api } from "../support/api.ts";
import { CORE_TOKEN } from "../support/core-options.ts";
import { DatabaseRows } from "../support/database-rows.ts";
import { expectError } from "../support/error-answer.ts";
import { overEachTransport } from "../support/transports.ts";

const transports = await overEachTransport();

describe.each(transports)("simulate_payment over the $kind transport", ({ service, tenant, api }) => {
  const newLink = async (more: object = {}): Promise<string> => {
    const body = { amount: 15_990, currency: "BRL", payment_methods: ["pix", "card"], ...more };
    return (await api.post("/v1/payment_links", body)).body.id;
  };
  const simulate = (id: string, body: object) =>
    api.post(`/v1/payment_links/${id}/simulate_payment`, body, { idempotencyKey: null });

  test("outcome succeeded: 200 with the Payment, reference and metadata of the link", async () => {
    const id = await newLink({ reference: "order-9", metadata: { a: [1] } });
    const { status, body } = await simulate(id, { outcome: "succeeded" });
    expect(status).toBe(200);
    expect(body).toEqual({
      id: expect.stringMatching(/^pay_[0-9a-z]{26}$/),
      link_id: id,
      status: "succeeded",
      reference: "order-9",
      created_at: expect.any(Number),
      updated_at: expect.any(Number),
      amount: 15_990,
      currency: "BRL",
      gross_amount: 15_990,
      gross_currency: "BRL",
      fee_amount: 198,
      fee_currency: "BRL",
      net_amount: 15_792,
      net_currency: "BRL",
      fee_handling: "absorb",
      payment_method: "pix",
      installments: null,
      metadata: { a: [1] },
    });
  });

  test.each([
    ["failed", "pix", { status: "failed", failure_code: "pix_rejected", installments: null }],
    ["failed", "card", { status: "failed", failure_code: "card_declined", installments: 1 }],
    ["expired", "pix", { status: "expired" }],
    ["succeeded", "card", { status: "succeeded", installments: 1 }],
  ])("outcome %s by %s", async (outcome, payment_method, expected) => {
    const { status, body } = await simulate(await newLink(), { outcome, payment_method });
    expect(status).toBe(200);
    expect(body).toMatchObject({ ...expected, payment_method });
    if (outcome !== "failed") expect(body).not.toHaveProperty("failure_code");
  });

  test.each(Object.entries(DECLINE_CODES).flatMap(([method, codes]) => codes.map((code) => [method, code])))(
    "outcome failed by %s with decline_code %s has it as its failure_code",
    async (payment_method, decline_code) => {
      const body = { outcome: "failed", payment_method, decline_code };
      const answer = await simulate(await newLink(), body);
      expect([answer.status, answer.body.failure_code]).toEqual([200, decline_code]);
    },
  );

  test("Single link: after the first success further attempts are refused", async () => {
    const id = await newLink();
    for (const outcome of ["failed", "expired", "succeeded"]) {
      expect((await simulate(id, { outcome })).status).toBe(200);
    }
    expectError(await simulate(id, { outcome: "succeeded" }));
  });

  test("Campaign link: stays open after each payment; different payments may use different rates", async () => {
    const id = await newLink({ campaign: true, currency: "USD", amount: 10_000 });
    const first = await simulate(id, { outcome: "succeeded" });
    expect(first.body.fx).toMatchObject({ rate: 5.513582, valid_until: first.body.fx.locked_at + 900 });
    const spot = { mode: Mode.TEST, spotMicros: 6_000_000n, maxAgeSeconds: 4_000_000_000n };
    await createClient(PricingService, service.core.transport).publishFxRate(spot, service.internal);
    const second = await simulate(id, { outcome: "succeeded" });
    expect(second.body.fx.rate).toBe(6.09);
    expect(second.body.gross_amount).toBe(60_900);
    await createClient(PricingService, service.core.transport).publishFxRate(
      { ...spot, spotMicros: 5_432_100n },
      service.internal,
    );
  });

  test("After expiry a link accepts no payment", async () => {
    const id = await newLink({ expires_in: 60 });
    service.clock.advance(61);
    expectError(await simulate(id, { outcome: "succeeded" }));
  });

  test("a canceled link accepts no payment", async () => {
    const id = await newLink();
    const links = createClient(LinksService, service.core.transport);
    const headers = {
      authorization: `Bearer ${CORE_TOKEN}`,
      "paylink-tenant": tenant.id,
      "paylink-mode": "test",
    };
    await links.cancelPaymentLink({ id }, { headers });
    expectError(await simulate(id, { outcome: "succeeded" }));
  });

  test.each(["succeeded", "failed"])(
    "%s on a campaign link while its cancel is being committed: refused",
    async (outcome) => {
      const id = await newLink({ campaign: true });
      const rows = await new DatabaseRows(service.databaseUrl).open();
      await rows.run("BEGIN");
      await rows.run("UPDATE test.payment_link SET status = 'canceled' WHERE id = $1", [id]);
      const simulated = simulate(id, { outcome });
      const waiting = "pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
      await expect.poll(async () => await rows.count(waiting)).toBe(1);
      await rows.run("COMMIT");
      expectError(await simulated);
      expect(await rows.count("test.payment WHERE link_id = $1", [id])).toBe(0);
      await rows.close();
    },
  );

  test.each([
    [{}, "invalid_request", "outcome"],
    [{ outcome: "paid" }, "invalid_request", "outcome"],
    [{ outcome: "failed", payment_method: "ted" }, "invalid_request", "payment_method"],
    [{ outcome: "failed", amount: 1 }, "unknown_parameter", "amount"],
    [{ outcome: "failed", decline_code: "stolen" }, "invalid_request", "decline_code"],
    [{ outcome: "succeeded", decline_code: "pix_rejected" }, "invalid_request", "decline_code"],
    [{ outcome: "failed", decline_code: "pix_expired" }, "invalid_request", "decline_code"],
    [{ outcome: "failed", decline_code: "expired_card" }, "invalid_request", "decline_code"],
    [
      { outcome: "failed", payment_method: "card", decline_code: "pix_rejected" },
      "invalid_request",
      "decline_code",
    ],
  ])("400 for %j", async (body, code, param) => {
    expectError(await simulate(await newLink(), body), { code, param });
  });

  test("payment_method_unsupported: a link without card simulated by card", async () => {
    const id = await newLink({ payment_methods: ["pix"] });
    const refused = await simulate(id, { outcome: "succeeded", payment_method: "card" });
    expectError(refused, { code: "payment_method_unsupported", param: "payment_method" });
  });

  test("with a live key 403 not_available_in_live, before anything else is looked at", async () => {
    const live = new Api(service, tenant.liveKey);
    const refused = await live.post("/v1/payment_links/nonsense/simulate_payment", "{not json");
    expectError(refused, { status: 403, code: "not_available_in_live" });
  });

  test("unknown link: 404 payment_link_not_found", async () => {
    const refused = await simulate("pl_01jd0000000000000000000000", { outcome: "succeeded" });
    expectError(refused, { status: 404, code: "payment_link_not_found" });
  });

  test.each([
    ["5.400000", 5_320_198n, 5.513582],
    ["5.550000", 5_467_981n, 5.550001],
    ["5.700000", 5_615_764n, 5.568718],
  ])("1 %% ratchet on a single link from a quote: public rate near %s", async (_public, spotMicros, rate) => {
    const pricing = createClient(PricingService, service.core.transport);
    const publish = (micros: bigint) =>
      pricing.publishFxRate(
        { mode: Mode.TEST, spotMicros: micros, maxAgeSeconds: 4_000_000_000n },
        service.internal,
      );
    await publish(5_432_100n);
    const quote = await api.post("/v1/quotes", { amount: 10_000, currency: "USD", payment_method: "pix" });
    expect(quote.body.fx.rate).toBe(5.513582);
    const link = await api.post(`/v1/quotes/${quote.body.id}/accept`, { name: "Shoes" });
    await publish(spotMicros);
    const paid = await simulate(link.body.id, { outcome: "succeeded" });
    expect(paid.body.fx.rate).toBe(rate);
    if (rate === 5.513582) expect(paid.body.fx).toEqual(quote.body.fx);
    await publish(5_432_100n);
  });
});
