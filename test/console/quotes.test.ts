import { describe, expect, test } from "vitest";
import { QuoteStatus } from "../../gen/paylink/pricing/v1/pricing_pb.ts";
import { ConsoleClient, createUser } from "../support/console.ts";
import { MEDIA_BASE } from "../support/core-options.ts";
import { HOSTILE, HOSTILE_ESCAPED } from "../support/hostile-texts.ts";
import { uploaded } from "../support/media.ts";
import { createMerchant } from "../support/merchant.ts";
import { textOf } from "../support/page-text.ts";
import { LIST, NEW, QuotePages, written } from "./quote-pages.ts";

const quotes = await QuotePages.forFile();
const { service, merchant, owner } = quotes;

describe("a quote", () => {
  test("made of one payment option is shown line by line as it is stored, and accepted as a link", async () => {
    const form = {
      amount: "1.599,00",
      payment_method: "card",
      installments: "7",
      fee_handling: "pass_through",
    };
    const { answer, id } = await quotes.create(form);
    expect(answer.statusCode).toBe(303);
    const { quote, details } = await quotes.stored(id);
    expect(quote).toMatchObject({ installments: 7, paymentMethod: 2 });
    const path = `${LIST}/${id}`;
    const page = textOf((await owner.get(path)).body);
    for (const minor of [quote.payerTotal, details.firstInstallment, details.otherInstallment])
      expect(page).toContain(written(minor, quote.payerCurrency));
    for (const minor of [details.grossAmount, details.netAmount, quote.breakdown?.totalFee?.amount ?? -1n])
      expect(page).toContain(written(minor, details.pricingCurrency));
    expect(page).toContain(written(quote.receiverNet, "USD"));
    for (const text of ["Aberta", "Faltam", "US$ 1 = R$ 5,513582", quote.ruleId, quote.signature])
      expect(page).toContain(text);
    const [picture = ""] = await uploaded(service, merchant.tenant, 1);
    const accepted = await owner.post(path, `${path}/accept`, {
      name: "Tênis azul",
      description: "Entrega em 3 dias",
      media_urls: picture,
      campaign: "yes",
      expires_unit: "days",
      expires_in: "3",
      reference: "pedido-7",
      payer_country: "us",
      metadata_key: ["canal"],
      metadata_value: ["loja"],
    });
    const linkId = /links\/(pl_\w+)\?done=made$/.exec(accepted.headers.location ?? "")?.[1] ?? "";
    const { paymentLink, details: ofLink } = await merchant.links.getPaymentLink({ id: linkId }, merchant.as);
    expect(paymentLink).toMatchObject({
      description: "Tênis azul",
      details: "Entrega em 3 dias",
      productImages: [picture],
      reference: "pedido-7",
      maxInstallments: 7,
      metadata: { canal: "loja" },
    });
    expect(ofLink).toMatchObject({ quoteId: id, isCampaign: true });
    const consumed = await owner.get(path);
    expect(consumed.body).toContain(`/console/test/links/${linkId}`);
    expect(consumed.body).not.toContain(`${path}/accept`);
    expect(textOf((await owner.get(`${LIST}?query=PEDIDO-7`)).body)).toContain("pedido-7");
    expect((await owner.get(`/console/test/links/${linkId}`)).body).toContain(`/console/test/quotes/${id}`);
    const again = await owner.post(NEW, `${path}/accept`, { name: "Again" });
    expect([again.statusCode, textOf(again.body).includes("já foi usada")]).toEqual([422, true]);
  });

  test("is made by the button of its payment option among the prices", async () => {
    const { id } = await quotes.create({ amount: "100", way: "card-3" });
    expect((await quotes.stored(id)).quote).toMatchObject({ installments: 3, paymentMethod: 2 });
    const ted = await quotes.create({ amount: "100", way: "ted-1", installments: "9" });
    expect((await quotes.stored(ted.id)).quote).toMatchObject({ installments: 1, paymentMethod: 3 });
  });

  test("is made from an intent", async () => {
    const { body: intent } = await merchant.api.post("/v1/payment_intents", {
      amount: 20_000,
      currency: "BRL",
    });
    const { id } = await quotes.create({ payment_intent_id: intent.id, payment_method: "pix" });
    expect((await quotes.stored(id)).quote.paymentIntentId).toBe(intent.id);
    const refused = await quotes.create({ payment_intent_id: "pi_nothing", payment_method: "pix" });
    expect(refused.answer.body).toContain('id="field-payment_intent_id-problem"');
  });

  test("past its time shows it, cannot be accepted and can be made again", async () => {
    const { id } = await quotes.create({ amount: "100", payment_method: "pix" });
    const open = await owner.formToken(`${LIST}/${id}`);
    service.clock.advance(1801);
    const { body } = await owner.get(`${LIST}/${id}`);
    expect(textOf(body)).toContain("expirou sem ser aceita");
    expect(body).toContain("/quotes/new?amount=100.00&amp;currency=BRL&amp;payment_method=pix");
    const late = await owner.send(`${LIST}/${id}/accept`, { form_token: open, name: "Late" });
    expect([late.statusCode, textOf(late.body).includes("A cotação expirou")]).toEqual([422, true]);
    expect((await quotes.stored(id)).details.status).toBe(QuoteStatus.EXPIRED);
    expect((await owner.get(`${LIST}?status=expired`)).body).toContain(id);
    expect((await owner.get(`${LIST}?status=open`)).body).not.toContain(id);
  });

  test.each([
    ["name", { name: "" }],
    ["media_urls", { media_urls: "https://elsewhere.example.test/a.png" }],
    ["media_urls", { media_urls: `${MEDIA_BASE}/med_unknown.webp` }],
    ["payer_country", { payer_country: "1" }],
    ["expires_in", { expires_unit: "days", expires_in: "soon" }],
    ["metadata", { metadata_key: ["svc_a"], metadata_value: ["b"] }],
  ])("says beside %s what keeps it from being accepted, and keeps what was typed", async (field, form) => {
    const { id } = await quotes.create({ amount: "100", payment_method: "pix" });
    const path = `${LIST}/${id}`;
    const answer = await owner.post(path, `${path}/accept`, { name: "Tênis", reference: "Fica", ...form });
    expect(answer.statusCode).toBe(422);
    expect(answer.body).toContain(`id="field-${field}-problem"`);
    expect(answer.body).toContain('value="Fica"');
    expect((await quotes.stored(id)).details.status).toBe(QuoteStatus.OPEN);
  });
});

test("quotes of another tenant or mode are unknown, to be seen and to be accepted", async () => {
  const other = await createMerchant(service);
  const { body: quote } = await other.api.post("/v1/quotes", {
    amount: 100_00,
    currency: "BRL",
    payment_method: "pix",
  });
  const own = await quotes.create({ amount: "100", payment_method: "pix" });
  expect((await owner.get(`/console/live/quotes/${own.id}`)).statusCode).toBe(404);
  for (const unknown of [quote.id, "qt_nothing"]) {
    expect((await owner.get(`${LIST}/${unknown}`)).statusCode).toBe(404);
    expect((await owner.post(NEW, `${LIST}/${unknown}/accept`, { name: "X" })).statusCode).toBe(404);
  }
  expect((await owner.get(`${LIST}?query=${quote.id}`)).body).not.toContain(`quotes/${quote.id}`);
});

test("a viewer looks and makes nothing", async () => {
  const viewer = new ConsoleClient(service, await createUser(service, merchant.tenant.id, "viewer"));
  const { id } = await quotes.create({ amount: "100", payment_method: "pix" });
  expect((await viewer.get(LIST)).body).not.toContain("/quotes/new");
  expect((await viewer.get(`${LIST}/${id}`)).body).not.toContain("/accept");
  for (const path of [NEW, `${LIST}/prices?amount=10`]) expect((await viewer.get(path)).statusCode).toBe(403);
  for (const action of [NEW, `${LIST}/${id}/accept`])
    expect((await viewer.post(LIST, action, { name: "X", amount: "100" })).statusCode).toBe(403);
  expect((await quotes.stored(id)).details.status).toBe(QuoteStatus.OPEN);
});

test("hostile text stays text on every page", async () => {
  const { id } = await quotes.create({ amount: "100", payment_method: "pix" });
  const path = `${LIST}/${id}`;
  const typed = { name: HOSTILE, description: HOSTILE, reference: HOSTILE, payer_country: HOSTILE };
  const asked = new URLSearchParams({
    amount: HOSTILE,
    currency: HOSTILE,
    payment_intent_id: HOSTILE,
    query: HOSTILE,
  });
  const pages = [
    await owner.post(path, `${path}/accept`, {
      ...typed,
      media_urls: HOSTILE,
      metadata_key: HOSTILE,
      metadata_value: HOSTILE,
    }),
    await owner.get(`${NEW}?${asked.toString()}`),
    await owner.get(`${LIST}?${asked.toString()}`),
    (await quotes.create({ amount: HOSTILE })).answer,
  ];
  for (const { body } of pages) {
    expect(body).toContain(HOSTILE_ESCAPED);
    expect(body).not.toMatch(/<script>|<img src=x/);
  }
});
