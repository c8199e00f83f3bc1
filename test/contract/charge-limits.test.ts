import { createClient } from "@connectrpc/connect";
import { describe, expect, test } from "vitest";
import { Mode } from "../../gen/paylink/identity/v1/identity_pb.ts";
import { PricingService } from "../../gen/paylink/pricing/v1/pricing_pb.ts";
import { Api } from "../support/api.ts";
import { expectError } from "../support/error-answer.ts";
import { startService } from "../support/service.ts";
import { forFile } from "../support/for-file.ts";

const service = await forFile(startService());
const tenant = await service.createTenant();
const api = new Api(service, tenant.testKey);

describe("totals that cannot be charged", () => {
  const MAX = 999_999_999_999;
  const PAST = { amount: MAX, currency: "BRL", fee_handling: "pass_through" };

  test.each(["pix", "ted", "card"])(
    "a quote by %s: 400 invalid_request, param amount",
    async (payment_method) => {
      const refused = await api.post("/v1/quotes", { ...PAST, payment_method });
      const message =
        /^amount is too large: by [a-z]+(?: in 12 installments)? the payer's total would be over 9999999999\.99 BRL, the most that can be charged\.$/;
      expectError(refused, { param: "amount", message });
      const edge = await api.post("/v1/quotes", { ...PAST, fee_handling: "absorb", payment_method });
      expect([edge.status, edge.body.payer_total]).toEqual([201, MAX]);
    },
  );

  test("a quote in USD whose total in BRL passes it, whatever the rate", async () => {
    const quote = { amount: MAX, currency: "USD", payment_method: "pix" };
    expectError(await api.post("/v1/quotes", quote), { param: "amount" });
  });

  test("of scenarios only the others are offered; 400 when none remains", async () => {
    const some = await api.post("/v1/quotes", { ...PAST, amount: 900_000_000_000 });
    const { pix, card } = some.body.scenarios;
    const counts = card.map(({ installments }: { installments: number }) => installments);
    expect(pix.payer_total).toBeLessThanOrEqual(MAX);
    expect(counts).toEqual(Array.from({ length: counts.length }, (_, index) => index + 1));
    expect(counts.length).toBeGreaterThan(0);
    expect(counts.length).toBeLessThan(12);
    expectError(await api.post("/v1/quotes", PAST), { param: "amount" });
  });

  test("a link: every method and every number of installments must be within it", async () => {
    const link = { ...PAST, amount: 900_000_000_000, payment_methods: ["pix", "card"] };
    const one = await api.post("/v1/payment_links", { ...link, max_installments: 1 });
    expect(one.status).toBe(201);
    const refused = await api.post("/v1/payment_links", { ...link, max_installments: 12 });
    expectError(refused, { param: "amount", message: /by card in/ });
  });

  test.each([9_999n, 1_000_000_001n])("a spot rate of %s micros is refused", async (spotMicros) => {
    const pricing = createClient(PricingService, service.core.transport);
    await expect(pricing.publishFxRate({ mode: Mode.TEST, spotMicros }, service.internal)).rejects.toThrow(
      "spot_micros must be 10000 to 1000000000.",
    );
  });

  test("merchant_net_not_positive with pass_through names the one remedy that there is", async () => {
    const usd = await service.createTenant({ payoutCurrency: "USD" });
    const quote = { amount: 1, currency: "BRL", payment_method: "pix" };
    const usdApi = new Api(service, usd.testKey);
    const ask = (fee_handling: string) => usdApi.post("/v1/quotes", { ...quote, fee_handling });
    const code = "merchant_net_not_positive";
    const refused = "The merchant's net after fees would not be positive:";
    expectError(await ask("pass_through"), { code, message: `${refused} use a larger amount.` });
    expectError(await ask("absorb"), { code, message: `${refused} use pass_through or a larger amount.` });
  });
});
