import { createClient } from "@connectrpc/connect";
import { randomUUID } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Mode } from "../../gen/paylink/identity/v1/identity_pb.ts";
import {
  FeeHandling,
  PaymentMethod,
  PriceRefusal,
  PricingService,
  type CreateQuoteResponse,
  type PreviewedPrice,
  type PreviewPricesResponse,
  type QuoteScenario,
  type StoredQuote,
} from "../../gen/paylink/pricing/v1/pricing_pb.ts";
import { DatabaseRows } from "../support/database-rows.ts";
import { forFile } from "../support/for-file.ts";
import { createMerchant, type Merchant } from "../support/merchant.ts";
import { refusalOf } from "../support/refusal.ts";
import { times } from "../support/scale.ts";
import { startService } from "../support/service.ts";

const service = await forFile(startService());
const pricing = createClient(PricingService, service.core.transport);
const rows = await forFile(new DatabaseRows(service.databaseUrl).open());

const withKey = ({ as }: Merchant) => ({ headers: { ...as.headers, "idempotency-key": randomUUID() } });

const methods = new Map<PaymentMethod | undefined, string>([
  [PaymentMethod.PIX, "pix"],
  [PaymentMethod.TED, "ted"],
  [PaymentMethod.CARD, "card"],
]);
const reasons = new Map<PriceRefusal | undefined, string>([
  [PriceRefusal.METHOD_NOT_CONTRACTED, "method_not_contracted"],
  [PriceRefusal.NO_RULE, "no_rule"],
  [PriceRefusal.MERCHANT_NET_NOT_POSITIVE, "merchant_net_not_positive"],
  [PriceRefusal.TOTAL_TOO_LARGE, "total_too_large"],
]);

/** "card 3" to the price, or the name of why there is none. */
function optionsOf({ ways: options }: PreviewPricesResponse): Record<string, PreviewedPrice | string> {
  return Object.fromEntries(
    options.map(({ paymentMethod, installments, result }) => [
      `${methods.get(paymentMethod)} ${installments}`,
      result.case === "price" ? result.value : (reasons.get(result.value) ?? ""),
    ]),
  );
}

/** What the stored quote says of what a preview says. */
function columnsOf({ quote, details }: StoredQuote): Omit<PreviewedPrice, "$typeName"> {
  return {
    payerTotal: quote?.payerTotal ?? 0n,
    payerCurrency: quote?.payerCurrency ?? "",
    firstInstallment: details?.firstInstallment ?? 0n,
    otherInstallment: details?.otherInstallment ?? 0n,
    receiverNet: quote?.receiverNet ?? 0n,
    receiverCurrency: quote?.receiverCurrency ?? "",
    ...(quote?.breakdown ? { breakdown: quote.breakdown } : {}),
  };
}

async function storedOf(merchant: Merchant, { quoteId: id }: QuoteScenario): Promise<StoredQuote> {
  return (await pricing.getQuote({ id }, merchant.as)).quote as StoredQuote;
}

const rule = fc.record({
  percentPpm: fc.bigInt(0n, 100_000n),
  fixed: fc.bigInt(0n, 500n),
  min: fc.bigInt(0n, 300n),
  max: fc.option(fc.bigInt(300n, 20_000n), { nil: undefined }),
});

/** A merchant with rules and taxes of its own. */
async function randomMerchant(seed: number): Promise<Merchant> {
  const payoutCurrency = seed % 2 === 0 ? "BRL" : "USD";
  const merchant = await createMerchant(service, { payoutCurrency, maxInstallments: 1 + ((seed * 7) % 21) });
  const owner = { tenantId: merchant.tenant.id, mode: Mode.TEST };
  const made = fc.sample(rule, { seed, path: "", numRuns: 6 });
  for (const [index, { max, ...own }] of made.entries()) {
    const paymentMethod = [PaymentMethod.PIX, PaymentMethod.TED, PaymentMethod.CARD][index % 3] ?? 0;
    const surchargePpm = [0n, 10_000n, 17_777n, 25_001n, 33_333n, 41_999n, 60_000n, 99_999n];
    const card = paymentMethod === PaymentMethod.CARD ? { surchargePpm } : {};
    const currency = index < 3 ? "BRL" : "USD";
    const limit = max === undefined ? {} : { max };
    await pricing.putPricingRule(
      { ...owner, paymentMethod, currency, ...own, ...limit, ...card },
      service.internal,
    );
  }
  const policy = { coveragePpm: 15_000n, iofPpm: 35_000n, iofEnabled: seed % 3 !== 0 };
  await pricing.putFxPolicy({ ...owner, ...policy }, service.internal);
  return merchant;
}

test("what it shows is what a quote made at the same instant stores, by every payment option and at random", async () => {
  const merchants = await Promise.all([1, 2, 3, 4].map(randomMerchant));
  const wanted = fc.record({
    merchant: fc.constantFrom(...merchants),
    amount: fc.oneof(fc.bigInt(1n, 2000n), fc.bigInt(1n, 999_999_999_999n)),
    currency: fc.constantFrom("BRL", "USD"),
    feeHandling: fc.constantFrom(FeeHandling.ABSORB, FeeHandling.PASS_THROUGH, undefined),
    most: fc.option(fc.integer({ min: 1, max: 21 }), { nil: undefined }),
  });
  await fc.assert(
    fc.asyncProperty(wanted, async ({ merchant, amount, currency, feeHandling, most }) => {
      const asked = { amount, currency, ...(feeHandling === undefined ? {} : { feeHandling }) };
      const preview = await pricing.previewPrices(
        { ...asked, ...(most === undefined ? {} : { maxInstallments: most }) },
        merchant.as,
      );
      const shown = Object.entries(optionsOf(preview));
      const answered = await pricing
        .createQuote({ ...asked, ...(most === undefined ? {} : { installments: most }) }, withKey(merchant))
        .catch((error: unknown) => error);
      if (answered instanceof Error) {
        expect(answered.message).toContain("amount is too large");
        expect(shown.filter(([, price]) => typeof price !== "string")).toEqual([]);
        expect(shown.map(([, reason]) => reason)).toContain("total_too_large");
        return;
      }
      const { result } = answered as CreateQuoteResponse;
      if (result.case !== "scenarios") throw new Error("no scenarios");
      const { pix, ted, card } = result.value;
      const made = [...(pix ? [pix] : []), ...(ted ? [ted] : []), ...card];
      const stored = await Promise.all(made.map((scenario) => storedOf(merchant, scenario)));
      const quoted = stored.map((one) => [
        `${methods.get(one.quote?.paymentMethod)} ${one.quote?.installments}`,
        columnsOf(one),
      ]);
      const prices = shown.filter(([, price]) => typeof price !== "string");
      expect(prices).toMatchObject(quoted);
      expect(prices).toHaveLength(quoted.length);
      // What is not quoted is refused for one of the reasons that are left.
      for (const [, reason] of shown.filter(([option]) => !quoted.some(([of]) => of === option)))
        expect(["merchant_net_not_positive", "total_too_large"]).toContain(reason);
      expect(preview.rateMicros).toBe(stored[0]?.quote?.fx?.rate ?? preview.rateMicros);
      expect(stored.every(({ details }) => details?.amount === amount)).toBe(true);
    }),
    { numRuns: times(250, 25) },
  );
});

describe("a preview", () => {
  test("writes nothing and locks no rate", async () => {
    const merchant = await createMerchant(service, { payoutCurrency: "USD" });
    const before = await rows.countAll("test");
    const { rateMicros, rateSource, ratePublishedAt, ways } = await pricing.previewPrices(
      { amount: 15_990n, currency: "BRL" },
      merchant.as,
    );
    expect(rateMicros).toBe(5_513_582n);
    expect([rateSource, ratePublishedAt !== undefined]).toEqual(["manual", true]);
    expect(ways.length).toBeGreaterThan(10);
    expect(await rows.countAll("test")).toEqual(before);
  });

  test("gives for each payment option why it is not offered, and how many installments are", async () => {
    const merchant = await createMerchant(service, { paymentMethods: ["pix", "card"], maxInstallments: 3 });
    const absorbed = { amount: 101n, currency: "BRL", feeHandling: FeeHandling.ABSORB };
    const preview = await pricing.previewPrices({ ...absorbed, maxInstallments: 21 }, merchant.as);
    expect(preview).toMatchObject({ installmentsLimit: 3, amount: 101n, currency: "BRL" });
    expect(preview.rateMicros).toBeUndefined();
    expect(optionsOf(preview)).toMatchObject({
      "pix 1": { payerTotal: 101n, receiverNet: 1n },
      "ted 1": "method_not_contracted",
      "card 1": { receiverNet: 1n },
      "card 2": "merchant_net_not_positive",
      "card 3": "merchant_net_not_positive",
    });
    const pixOnly = await createMerchant(service, { paymentMethods: ["pix"] });
    const asked = { ...absorbed, paymentMethods: [PaymentMethod.CARD, PaymentMethod.PIX] };
    const other = await pricing.previewPrices(asked, pixOnly.as);
    expect(other.installmentsLimit).toBe(0);
    expect(optionsOf(other)).toMatchObject({ "pix 1": {}, "card 1": "method_not_contracted" });
    expect(Object.keys(optionsOf(other))).toEqual(["pix 1", "card 1"]);
  });

  test("prices an intent of the caller only", async () => {
    const [merchant, other] = [await createMerchant(service), await createMerchant(service)];
    const { body: intent } = await merchant.api.post("/v1/payment_intents", {
      amount: 20_000,
      currency: "BRL",
    });
    const asked = { paymentIntentId: String(intent.id) };
    expect(await pricing.previewPrices(asked, merchant.as)).toMatchObject({
      amount: 20_000n,
      currency: "BRL",
    });
    const refused = { status: "InvalidArgument", code: "invalid_request", param: "payment_intent_id" };
    expect(await refusalOf(pricing.previewPrices(asked, other.as))).toMatchObject(refused);
  });

  test("refuses what a quote refuses", async () => {
    const { as } = await createMerchant(service);
    const param = async (request: object) => (await refusalOf(pricing.previewPrices(request, as)))?.param;
    expect(await param({ currency: "BRL" })).toBe("amount");
    expect(await param({ amount: 100n })).toBe("currency");
    expect(await param({ amount: 0n, currency: "BRL" })).toBe("amount");
    expect(await param({ amount: 100n, currency: "EUR" })).toBe("currency");
    expect(await param({ amount: 100n, currency: "BRL", maxInstallments: 22 })).toBe("max_installments");
  });
});
