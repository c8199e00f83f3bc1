import { createClient } from "@connectrpc/connect";
import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import { Mode } from "../../gen/paylink/identity/v1/identity_pb.ts";
import {
  FeeHandling,
  PaymentMethod,
  PriceRefusal,
  PricingService,
} from "../../gen/paylink/pricing/v1/pricing_pb.ts";
import { asUser, auditEntries } from "../support/audit.ts";
import { DatabaseRows } from "../support/database-rows.ts";
import { expectError } from "../support/error-answer.ts";
import { forFile } from "../support/for-file.ts";
import { createMerchant, type Merchant } from "../support/merchant.ts";
import { startService } from "../support/service.ts";

const service = await forFile(startService());
const pricing = createClient(PricingService, service.core.transport);
const rows = await forFile(new DatabaseRows(service.databaseUrl).open());

const ask = async ({ api }: Merchant, body: object) =>
  await api.post("/v1/quotes", { amount: 15_990, currency: "BRL", ...body });
/** Call options of a user of the merchant's, whose quotes are in the audit log. */
const asPerson = ({ as }: Merchant) =>
  asUser({ headers: { ...as.headers, "idempotency-key": randomUUID() } });

describe("a quote for every payment option", () => {
  test("shows the one rate that all of them are priced at", async () => {
    const usd = await createMerchant(service, { payoutCurrency: "USD" });
    const { body } = await ask(usd, { installments: 2 });
    const { pix, ted, card } = body.scenarios;
    expect(pix.fx).toMatchObject({ base: "USD", quote: "BRL", rate: expect.any(Number) });
    for (const option of [ted, ...card]) expect(option.fx).toEqual(pix.fx);
  });

  test("of an amount that leaves the merchant nothing by any payment option is empty, and writes nothing", async () => {
    const usd = await createMerchant(service, { payoutCurrency: "USD" });
    const count = async () => await rows.count("test.fx_rate_history WHERE tenant_id = $1", [usd.tenant.id]);
    const { status, body } = await ask(usd, { amount: 1, fee_handling: "absorb" });
    expect([status, body]).toMatchObject([201, { scenarios: { pix: null, ted: null, card: [] } }]);
    expect(await count()).toBe(0);
    await ask(usd, {});
    expect(await count()).toBe(1);
  });
});

test("installments are at most what tenant and rule offer, and that number if none is asked for", async () => {
  const merchant = await createMerchant(service, { maxInstallments: 3 });
  const card = { payment_method: "card" };
  expect((await ask(merchant, card)).body.installments).toBe(3);
  expect((await ask(merchant, { ...card, installments: 3 })).body.installments).toBe(3);
  const message = "installments must be at most 3, the most that is offered.";
  expectError(await ask(merchant, { ...card, installments: 4 }), { param: "installments", message });
});

test("the intent of an accepted quote has the fee strategy that was asked for, or how the fee was handled", async () => {
  const merchant = await createMerchant(service);
  const strategyOf = async (quote: object) => {
    const { body } = await ask(merchant, { payment_method: "pix", ...quote });
    await merchant.api.post(`/v1/quotes/${body.id}/accept`, { name: "Shoes" });
    return (await rows.read("SELECT fee_strategy AS strategy FROM test.quote WHERE id = $1", [body.id]))[0];
  };
  expect(await strategyOf({ fee_handling: "pass_through" })).toEqual({
    strategy: { fee_handling: "pass_through" },
  });
  const wanted = { amount: 15_990, currency: "BRL", fee_strategy: { who: "payer" } };
  const { body: intent } = await merchant.api.post("/v1/payment_intents", wanted);
  const legacy = { amount: undefined, currency: undefined, payment_intent_id: intent.id };
  expect(await strategyOf(legacy)).toEqual({ strategy: { who: "payer" } });
});

test("the audit log names the quote that was made, the first of a quote for every payment option", async () => {
  const merchant = await createMerchant(service);
  const asked = { amount: 15_990n, currency: "BRL" };
  const one = await pricing.createQuote({ ...asked, paymentMethod: PaymentMethod.PIX }, asPerson(merchant));
  const all = await pricing.createQuote(asked, asPerson(merchant));
  const ids = [all, one].map(({ result }) =>
    result.case === "scenarios" ? result.value.pix?.quoteId : result.value?.id,
  );
  const entries = await auditEntries(service, merchant.tenant.id, { action: "CreateQuote" });
  expect(entries.map(({ objectId }) => objectId)).toEqual(ids);
});

describe("a preview", () => {
  test("without a fee handling is priced by the rule's default, as a quote is", async () => {
    const merchant = await createMerchant(service);
    const rule = {
      tenantId: merchant.tenant.id,
      mode: Mode.TEST,
      paymentMethod: PaymentMethod.PIX,
      currency: "BRL",
      percentPpm: 10_000n,
      defaultFeeHandling: FeeHandling.PASS_THROUGH,
    };
    await pricing.putPricingRule(rule, service.internal);
    const asked = { amount: 15_990n, currency: "BRL", paymentMethods: [PaymentMethod.PIX] };
    const { ways } = await pricing.previewPrices(asked, merchant.as);
    const { body } = await ask(merchant, { payment_method: "pix" });
    expect(ways[0]?.result.value).toMatchObject({ payerTotal: BigInt(body.payer_total) });
    expect(body.payer_total).toBeGreaterThan(15_990);
  });

  test("is refused as too large if no payment carries the amount", async () => {
    const merchant = await createMerchant(service);
    const asked = { amount: 999_999_999_999n, currency: "BRL", paymentMethods: [PaymentMethod.PIX] };
    const feeHandling = FeeHandling.PASS_THROUGH;
    const { ways } = await pricing.previewPrices({ ...asked, feeHandling }, merchant.as);
    expect(ways.map(({ result }) => result.value)).toEqual([PriceRefusal.TOTAL_TOO_LARGE]);
  });
});
