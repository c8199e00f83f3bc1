import { createClient, type Client } from "@connectrpc/connect";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { PricingService, QuoteStatus } from "../../gen/paylink/pricing/v1/pricing_pb.ts";
import { Format } from "../../gateway/pages/format.ts";
import { ConsoleClient, createUser } from "../support/console.ts";
import { MEDIA_BASE } from "../support/core-options.ts";
import { HOSTILE, HOSTILE_ESCAPED } from "../support/hostile-texts.ts";
import { pictureFolder, uploaded } from "../support/media.ts";
import { createMerchant, type Merchant } from "../support/merchant.ts";
import { startService, type TestService } from "../support/service.ts";

const LIST = "/console/test/quotes";
const NEW = `${LIST}/new`;
const format = new Format("pt-BR");

let pictures: Awaited<ReturnType<typeof pictureFolder>>;
let service: TestService;
let merchant: Merchant;
let owner: ConsoleClient;
let pricing: Client<typeof PricingService>;
beforeAll(async () => {
  pictures = await pictureFolder();
  service = await startService("direct", pictures);
  merchant = await createMerchant(service, { payoutCurrency: "USD" });
  owner = new ConsoleClient(service, await createUser(service, merchant.tenant.id, "owner"));
  pricing = createClient(PricingService, service.core.transport);
});
afterAll(async () => {
  await service.close();
  await pictures.remove();
});

/** The page's text as users read it. */
function textOf(body: string): string {
  return body
    .replaceAll(/<[^>]+>/g, " ")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&amp;", "&")
    .replaceAll(/[\s\u00A0\u202F]+/g, " ");
}

const written = (minor: bigint, currency: string): string => textOf(format.money(minor, currency));

async function create(form: Record<string, string>, client = owner) {
  const answer = await client.post(NEW, NEW, { currency: "BRL", ...form });
  const id = /\/quotes\/(qt_\w+)\?done=made$/.exec(answer.headers.location ?? "")?.[1] ?? "";
  return { answer, id };
}

async function stored(id: string) {
  const { quote } = await pricing.getQuote({ id }, merchant.as);
  if (!quote?.quote || !quote.details) throw new Error(`no quote ${id}`);
  return { quote: quote.quote, details: quote.details };
}

/** The cells of the prices' rows, by the row's name. */
function pricesOf(body: string): Map<string, string[]> {
  const part = /<section class="card prices"[\s\S]*?<\/section>/.exec(body)?.[0] ?? "";
  const rows = [...part.matchAll(/<tr [^>]*>([\s\S]*?)<\/tr>/g)]
    .slice(1)
    .map(([, row = ""]) =>
      [...row.matchAll(/<t[hd][^>]*>([\s\S]*?)<\/t[hd]>/g)].map(([, cell = ""]) => textOf(cell).trim()),
    );
  return new Map(rows.map(([name = "", , ...cells]) => [name, cells]));
}

describe("the prices beside the form", () => {
  test.each([
    { amount: "1.599,90", currency: "BRL", fee_handling: "absorb" },
    { amount: "1.599,91", currency: "BRL", fee_handling: "pass_through" },
    { amount: "77,77", currency: "USD", fee_handling: "pass_through" },
    { amount: "3", currency: "USD", fee_handling: "" },
  ])("are those that the quotes made from it store: %j", async (form) => {
    const { body } = await owner.get(`${LIST}/prices?${new URLSearchParams(form).toString()}`, {
      "hx-request": "true",
    });
    expect(body).not.toContain("<html");
    expect(textOf(body)).toMatch(/Dólar: 5,513582 BRL por USD\. A partir da cotação publicada em \d/);
    const prices = pricesOf(body);
    const { answer } = await create(form);
    const count = Number(/made=(\d+)$/.exec(answer.headers.location ?? "")?.[1]);
    expect(count).toBeGreaterThan(2);
    const { data } = await pricing.listQuotes({ limit: count }, merchant.as);
    for (const { quote, details } of data) {
      if (!quote || !details) throw new Error("no quote");
      const name = ["", "PIX", `Cartão de crédito ${quote.installments}x`, "Transferência (TED)"][
        quote.paymentMethod
      ];
      const { breakdown, installments } = quote;
      const { firstInstallment: first, otherInstallment: other } = details;
      const others = written(other, "BRL");
      const parts =
        first === other
          ? `${installments} × ${others}`
          : `1 × ${written(first, "BRL")} + ${installments - 1} × ${others}`;
      const money = (of: { amount: bigint; currency: string } | undefined) =>
        written(of?.amount ?? -1n, of?.currency ?? "BRL");
      expect([name, prices.get(name ?? "")]).toEqual([
        name,
        [
          `${written(quote.payerTotal, quote.payerCurrency)}${installments === 1 ? "" : ` ${parts}`}`,
          written(quote.receiverNet, quote.receiverCurrency),
          money(breakdown?.totalFee),
          written(breakdown?.serviceFee?.finalCents ?? -1n, details.pricingCurrency),
          money(breakdown?.installmentSurcharge),
          written(breakdown?.tax?.iofAmountCents ?? -1n, details.pricingCurrency),
        ],
      ]);
    }
  });

  test("show why there are none, and ask for the amount first", async () => {
    const prices = async (query: string) =>
      textOf((await owner.get(`${LIST}/prices?${query}`, { "hx-request": "true" })).body);
    expect(await prices("amount=")).toContain("Digite o valor");
    expect(await prices("amount=1,234&currency=BRL")).toContain("duas formas");
    expect(await prices("amount=0,30&currency=BRL&fee_handling=absorb")).toContain("Nada sobraria");
    expect(await prices("payment_intent_id=pi_nothing")).toContain("não é aceito");
    expect((await owner.get(`${LIST}/prices?amount=10`)).headers.location).toBe(`${NEW}?amount=10`);
  });
});

describe("a quote", () => {
  test("made of one payment option is shown line by line as it is stored, and accepted as a link", async () => {
    const form = {
      amount: "1.599,00",
      payment_method: "card",
      installments: "7",
      fee_handling: "pass_through",
    };
    const { answer, id } = await create(form);
    expect(answer.statusCode).toBe(303);
    const { quote, details } = await stored(id);
    expect(quote).toMatchObject({ installments: 7, paymentMethod: 2 });
    const path = `${LIST}/${id}`;
    const page = textOf((await owner.get(path)).body);
    for (const minor of [quote.payerTotal, details.firstInstallment, details.otherInstallment])
      expect(page).toContain(written(minor, quote.payerCurrency));
    for (const minor of [details.grossAmount, details.netAmount, quote.breakdown?.totalFee?.amount ?? -1n])
      expect(page).toContain(written(minor, details.pricingCurrency));
    expect(page).toContain(written(quote.receiverNet, "USD"));
    for (const text of ["Aberta", "Faltam", "5,513582 BRL por USD", quote.ruleId, quote.signature])
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
    const { id } = await create({ amount: "100", way: "card-3" });
    expect((await stored(id)).quote).toMatchObject({ installments: 3, paymentMethod: 2 });
    const ted = await create({ amount: "100", way: "ted-1", installments: "9" });
    expect((await stored(ted.id)).quote).toMatchObject({ installments: 1, paymentMethod: 3 });
  });

  test("is made from an intent", async () => {
    const { body: intent } = await merchant.api.post("/v1/payment_intents", {
      amount: 20_000,
      currency: "BRL",
    });
    const { id } = await create({ payment_intent_id: intent.id, payment_method: "pix" });
    expect((await stored(id)).quote.paymentIntentId).toBe(intent.id);
    const refused = await create({ payment_intent_id: "pi_nothing", payment_method: "pix" });
    expect(refused.answer.body).toContain('id="field-payment_intent_id-problem"');
  });

  test("past its time shows it, cannot be accepted and can be made again", async () => {
    const { id } = await create({ amount: "100", payment_method: "pix" });
    const open = await owner.formToken(`${LIST}/${id}`);
    service.clock.advance(1801);
    const { body } = await owner.get(`${LIST}/${id}`);
    expect(textOf(body)).toContain("venceu sem ser aceita");
    expect(body).toContain("/quotes/new?amount=100.00&amp;currency=BRL&amp;payment_method=pix");
    const late = await owner.send(`${LIST}/${id}/accept`, { form_token: open, name: "Late" });
    expect([late.statusCode, textOf(late.body).includes("A cotação expirou")]).toEqual([422, true]);
    expect((await stored(id)).details.status).toBe(QuoteStatus.EXPIRED);
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
    const { id } = await create({ amount: "100", payment_method: "pix" });
    const path = `${LIST}/${id}`;
    const answer = await owner.post(path, `${path}/accept`, { name: "Tênis", reference: "Fica", ...form });
    expect(answer.statusCode).toBe(422);
    expect(answer.body).toContain(`id="field-${field}-problem"`);
    expect(answer.body).toContain('value="Fica"');
    expect((await stored(id)).details.status).toBe(QuoteStatus.OPEN);
  });
});

test("quotes of another tenant or mode are unknown, to be seen and to be accepted", async () => {
  const other = await createMerchant(service);
  const { body: quote } = await other.api.post("/v1/quotes", {
    amount: 100_00,
    currency: "BRL",
    payment_method: "pix",
  });
  const own = await create({ amount: "100", payment_method: "pix" });
  expect((await owner.get(`/console/live/quotes/${own.id}`)).statusCode).toBe(404);
  for (const unknown of [quote.id, "qt_nothing"]) {
    expect((await owner.get(`${LIST}/${unknown}`)).statusCode).toBe(404);
    expect((await owner.post(NEW, `${LIST}/${unknown}/accept`, { name: "X" })).statusCode).toBe(404);
  }
  expect((await owner.get(`${LIST}?query=${quote.id}`)).body).not.toContain(`quotes/${quote.id}`);
});

test("a viewer looks and makes nothing", async () => {
  const viewer = new ConsoleClient(service, await createUser(service, merchant.tenant.id, "viewer"));
  const { id } = await create({ amount: "100", payment_method: "pix" });
  expect((await viewer.get(LIST)).body).not.toContain("/quotes/new");
  expect((await viewer.get(`${LIST}/${id}`)).body).not.toContain("/accept");
  for (const path of [NEW, `${LIST}/prices?amount=10`]) expect((await viewer.get(path)).statusCode).toBe(403);
  for (const action of [NEW, `${LIST}/${id}/accept`])
    expect((await viewer.post(LIST, action, { name: "X", amount: "100" })).statusCode).toBe(403);
  expect((await stored(id)).details.status).toBe(QuoteStatus.OPEN);
});

test("hostile text stays text on every page", async () => {
  const { id } = await create({ amount: "100", payment_method: "pix" });
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
    (await create({ amount: HOSTILE })).answer,
  ];
  for (const { body } of pages) {
    expect(body).toContain(HOSTILE_ESCAPED);
    expect(body).not.toMatch(/<script>|<img src=x/);
  }
});
