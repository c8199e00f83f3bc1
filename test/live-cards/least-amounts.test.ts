import { createClient } from "@connectrpc/connect";
import { expect, test } from "vitest";
import { ProviderKind } from "../../gen/paylink/providers/v1/providers_pb.ts";
import { PaymentMethod, PriceRefusal, PricingService } from "../../gen/paylink/pricing/v1/pricing_pb.ts";
import { ConsoleClient, createUser } from "../support/console.ts";
import { forFile } from "../support/for-file.ts";
import { createMerchant, type Merchant } from "../support/merchant.ts";
import { textOf } from "../support/page-text.ts";
import { Payer } from "../support/payer.ts";
import { Mode } from "../../gen/paylink/identity/v1/identity_pb.ts";
import { configAt, connectCards, startCards } from "./card-merchant.ts";

const cards = await forFile(startCards());
const { service, providers } = cards;
const pricing = createClient(PricingService, service.core.transport);

async function addPix(merchant: Merchant): Promise<Merchant> {
  const request = { kind: ProviderKind.PIX, profile: "asaas", asaas: configAt(cards) };
  await providers.putProviderAccount(request, merchant.as);
  return merchant;
}

const byPix = await addPix(await createMerchant(service, {}, "live"));
const byBoth = await addPix(await connectCards(cards));
const byCard = await connectCards(cards);

const order = (amount: number, rest: object) => ({ amount, currency: "BRL", ...rest });
const link = (amount: number, methods: string[]) => order(amount, { payment_methods: methods });
const tooSmall = { code: "invalid_request", param: "amount" };

async function refusedAmount(merchant: Merchant, path: string, body: object): Promise<string> {
  const answer = await merchant.api.post(path, body);
  expect([answer.status, answer.body.error]).toMatchObject([400, tooSmall]);
  return answer.body.error.message;
}

const landing = async (linkId: string): Promise<string> =>
  (await service.gateway.inject({ url: `/pay/${linkId}` })).body;

test.each([
  ["PIX", byPix, ["pix"], "PIX of at least 5.00 BRL"],
  ["cards", byCard, ["card"], "cards from 5.00 BRL for each installment on"],
  ["either method", byBoth, ["card", "pix"], "5.00 BRL"],
  ["PIX, without an account for cards", byPix, ["card", "pix"], "PIX of at least 5.00 BRL"],
] as const)(
  "a link below the least amount of %s is refused when it is made",
  async (_name, merchant, methods, least) => {
    const message = await refusedAmount(merchant, "/v1/payment_links", link(499, [...methods]));
    expect(message).toContain(least);
    const { status, body } = await merchant.api.post("/v1/payment_links", link(500, [...methods]));
    expect(status).toBe(201);
    expect((await new Payer(service, body.id).open()).options.length).toBeGreaterThan(0);
  },
);

test("a quote below the least amount is refused, with a method and without one", async () => {
  await refusedAmount(byPix, "/v1/quotes", order(499, { payment_method: "pix" }));
  expect((await byPix.api.post("/v1/quotes", order(500, { payment_method: "pix" }))).status).toBe(201);
  const pixAlone = await addPix(await createMerchant(service, { paymentMethods: ["pix"] }, "live"));
  await refusedAmount(pixAlone, "/v1/quotes", order(499, {}));
});

test("an intent is quoted within the same limits", async () => {
  const { body } = await byPix.api.post("/v1/payment_intents", order(499, {}));
  await refusedAmount(byPix, "/v1/quotes", { payment_intent_id: body.id, payment_method: "pix" });
  const all = await byPix.api.post("/v1/quotes", { payment_intent_id: body.id });
  expect(all.body.scenarios.pix ?? null).toBeNull();
});

test("of two methods the one whose total is too small is not offered, on no page", async () => {
  // What the payer pays counts: its fees bring a card's total above the least amount, and PIX has none.
  const rule = { mode: Mode.LIVE, tenantId: byBoth.tenant.id, currency: "BRL", percentPpm: 0n };
  await pricing.putPricingRule(
    { ...rule, paymentMethod: PaymentMethod.PIX, fixed: 1n, min: 0n },
    service.internal,
  );
  const between = { ...link(450, ["pix", "card"]), fee_handling: "pass_through", max_installments: 2 };
  const { body } = await byBoth.api.post("/v1/payment_links", between);
  const page = await landing(body.id);
  expect(page).toContain("Cartão");
  expect(page).not.toContain("PIX");
  const { options } = await new Payer(service, body.id).open();
  expect(options.map(({ paymentMethod }) => paymentMethod)).toEqual([PaymentMethod.CARD]);
  const quotes = await byBoth.api.post("/v1/quotes", order(450, { fee_handling: "pass_through" }));
  expect(quotes.body.scenarios.pix ?? null).toBeNull();
  expect(quotes.body.scenarios.card).toHaveLength(1);
});

test("a preview says of each payment option if its amount is too small", async () => {
  const { ways } = await pricing.previewPrices({ amount: 499n, currency: "BRL" }, byBoth.as);
  const refused = ways.filter(({ result }) => result.value === PriceRefusal.AMOUNT_TOO_SMALL);
  const methods = new Set(refused.map(({ paymentMethod }) => paymentMethod));
  expect(methods).toEqual(new Set([PaymentMethod.PIX, PaymentMethod.CARD]));
  const above = await pricing.previewPrices({ amount: 1000n, currency: "BRL" }, byBoth.as);
  const offered = above.ways.filter(({ result }) => result.case === "price");
  expect(offered.map(({ installments }) => installments)).toEqual([1, 1, 1, 2]);
});

test("a quote from before the account is not accepted below its least amount", async () => {
  const merchant = await createMerchant(service, {}, "live");
  const { body } = await merchant.api.post("/v1/quotes", order(499, { payment_method: "pix" }));
  await addPix(merchant);
  await refusedAmount(merchant, `/v1/quotes/${body.id}/accept`, { name: "Boat" });
});

test("the console says at the amount that the account does not take it, on the form and at each price", async () => {
  const client = new ConsoleClient(service, await createUser(service, byPix.tenant.id, "owner"));
  const path = "/console/live/links/new";
  const form = { amount: "4,99", currency: "BRL", payment_methods: "pix" };
  const { statusCode, body } = await client.post(path, path, form);
  expect(statusCode).toBe(422);
  expect(textOf(body)).toContain("Sua conta no provedor não cobra um valor tão baixo.");
  expect(textOf(body)).toContain("A conta no provedor não cobra um valor tão baixo");
});
