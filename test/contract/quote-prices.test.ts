import { createClient } from "@connectrpc/connect";
import { describe, expect, test } from "vitest";
import { Mode } from "../../gen/paylink/identity/v1/identity_pb.ts";
import { PricingService } from "../../gen/paylink/pricing/v1/pricing_pb.ts";
import { Api } from "../support/api.ts";
import { expectError } from "../support/error-answer.ts";
import { startService } from "../support/service.ts";
import { quotersOverEachTransport } from "./quoters.ts";

const transports = await quotersOverEachTransport();

describe.each(transports)("POST /v1/quotes over the $kind transport", ({ service, usd, api, usdApi }) => {
  const setIof = async (iofEnabled: boolean): Promise<void> => {
    const policy = { tenantId: usd.id, mode: Mode.TEST, coveragePpm: 15_000n, iofPpm: 35_000n, iofEnabled };
    await createClient(PricingService, service.core.transport).putFxPolicy(policy, service.internal);
  };

  test.each([
    [
      "BRL to BRL card 12x pass_through 100000",
      "BRL",
      100_000,
      "BRL",
      "card",
      12,
      "pass_through",
      false,
      116_977,
      100_000,
      16_977,
    ],
    [
      "USD to USD pix absorb 10000, IOF off",
      "USD",
      10_000,
      "USD",
      "pix",
      1,
      "absorb",
      false,
      55_136,
      9771,
      229,
    ],
    ["same, pass_through, IOF on", "USD", 10_000, "USD", "pix", 1, "pass_through", true, 58_395, 10_000, 591],
    [
      "USD to BRL pix pass_through 10000",
      "BRL",
      10_000,
      "USD",
      "pix",
      1,
      "pass_through",
      false,
      55_728,
      55_136,
      592,
    ],
    [
      "BRL to USD pix absorb 55000, IOF on",
      "USD",
      55_000,
      "BRL",
      "pix",
      1,
      "absorb",
      true,
      55_000,
      9535,
      2426,
    ],
    ["minimum: BRL pix absorb 1000", "BRL", 1000, "BRL", "pix", 1, "absorb", false, 1000, 900, 100],
    [
      "maximum: BRL pix absorb 2000000",
      "BRL",
      2_000_000,
      "BRL",
      "pix",
      1,
      "absorb",
      false,
      2_000_000,
      1_985_000,
      15_000,
    ],
    ["the first accepted: BRL pix absorb 101", "BRL", 101, "BRL", "pix", 1, "absorb", false, 101, 1, 100],
  ] as const)(
    "vector: %s",
    async (
      _name,
      payout,
      amount,
      currency,
      method,
      installments,
      handling,
      iof,
      payerTotal,
      receiverNet,
      totalFee,
    ) => {
      await setIof(iof);
      const { status, body } = await (payout === "USD" ? usdApi : api).post("/v1/quotes", {
        amount,
        currency,
        payment_method: method,
        fee_handling: handling,
        ...(method === "card" ? { installments } : {}),
      });
      expect(status).toBe(201);
      expect(body).toMatchObject({
        installments,
        payer_total: payerTotal,
        payer_currency: "BRL",
        receiver_net: receiverNet,
        receiver_currency: payout,
        breakdown: { fee_handling: handling, total_fee: { amount: totalFee }, tax: { iof_enabled: iof } },
      });
    },
  );

  test("fee_handling omitted: the pricing rule's default is used", async () => {
    const tenant = await service.createTenant();
    await createClient(PricingService, service.core.transport).putPricingRule(
      {
        tenantId: tenant.id,
        mode: Mode.TEST,
        paymentMethod: 1,
        currency: "BRL",
        percentPpm: 0n,
        fixed: 10n,
        min: 0n,
        defaultFeeHandling: 2,
      },
      service.internal,
    );
    const { body } = await new Api(service, tenant.testKey).post("/v1/quotes", {
      amount: 1e3,
      currency: "BRL",
      payment_method: "pix",
    });
    expect(body).toMatchObject({ payer_total: 1010, breakdown: { fee_handling: "pass_through" } });
  });
});

test("quote_fx_required: a rate past its age is never used, and nothing else needs one", async () => {
  const service = await startService();
  const tenant = await service.createTenant({ payoutCurrency: "USD" });
  const api = new Api(service, tenant.testKey);
  const pricing = createClient(PricingService, service.core.transport);
  const spot = { mode: Mode.TEST, spotMicros: 5_000_000n, maxAgeSeconds: 60n };
  await pricing.publishFxRate(spot, service.internal);
  service.clock.advance(58);
  const quote = () => api.post("/v1/quotes", { amount: 10_000, currency: "BRL", payment_method: "pix" });
  expect((await quote()).body.fx.rate).toBe(5.075);
  service.clock.advance(3);
  expectError(await quote(), { code: "quote_fx_required" });
  // A rate comes: what failed for want of it is not kept for replays.
  const idempotencyKey = "wanted";
  const retried = { amount: 10_000, currency: "BRL", payment_method: "pix" };
  expectError(await api.post("/v1/quotes", retried, { idempotencyKey }), { code: "quote_fx_required" });
  await pricing.publishFxRate(spot, service.internal);
  const after = await api.post("/v1/quotes", retried, { idempotencyKey });
  expect([after.status, after.headers["idempotent-replay"]]).toEqual([201, undefined]);
  const inBrl = await service.createTenant();
  const other = await new Api(service, inBrl.testKey).post("/v1/quotes", { amount: 10_000, currency: "BRL" });
  expect(other.status).toBe(201);
  await service.close();
});
