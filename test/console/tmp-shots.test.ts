import { afterAll, beforeAll, test } from "vitest";
import { startPages, type Pages } from "../support/browser.ts";
import { consolePage, createPerson } from "../support/console.ts";
import { createMerchant, type Merchant } from "../support/merchant.ts";
import { Payer } from "../support/payer.ts";

let pages: Pages;
let merchant: Merchant;
beforeAll(async () => {
  pages = await startPages();
  merchant = await createMerchant(pages.service, { payoutCurrency: "USD", maxInstallments: 12 });
}, 60000);
afterAll(async () => await pages.close());

test("shots", async () => {
  const { service } = pages;
  const ids: string[] = [];
  for (const [i, body] of [
    { description: "Tênis de corrida azul, tamanho 42", reference: "pedido-1042", amount: 15990 },
    { campaign: true, description: "Doação mensal", amount: 5000, max_installments: 3 },
    { description: "Curso de fotografia", amount: 199900, currency: "USD", reference: "order-77" },
    { reference: "só-referência", amount: 101_00, expires_in: 3600 },
  ].entries()) { ids.push(await merchant.newLink({ metadata: { order: "1042", canal: "whatsapp" }, details: "Entrega em 3 dias úteis", product_images: ["https://images.example.test/a.jpg"], collect_fields: i === 1 ? [] : ["phone"], ...body })); if (i === 2) await merchant.simulate(ids[2]!); }
  await new Payer(service, ids[1]!).payByPix();
  await new Payer(service, ids[1]!).open();
  const { body: quote } = await merchant.api.post("/v1/quotes", { amount: 159900, currency: "BRL", payment_method: "card", installments: 7, fee_handling: "pass_through" });
  await merchant.api.post("/v1/quotes", { amount: 20000, currency: "BRL", installments: 2 });
  const { body: taken } = await merchant.api.post("/v1/quotes", { amount: 20000, currency: "BRL", payment_method: "pix" });
  await merchant.api.post(`/v1/quotes/${taken.id}/accept`, { name: "Aceito", reference: "ref-1" });
  const owner = await createPerson(service, merchant.tenant.id, "owner");
  const views: [string, string][] = [
    ["links", "/links"], ["new-link", "/links/new?amount=1599,90&payment_methods=pix&payment_methods=card&max_installments=4&fee_handling=absorb"],
    ["link", `/links/${ids[1]}?done=made`], ["quotes", "/quotes"], ["new-quote", "/quotes/new?amount=159.90"], ["quote", `/quotes/${quote.id}`],
  ];
  for (const [lang, width] of [["pt-BR", 1280], ["en", 320], ["en", 1280], ["pt-BR", 320]] as const) {
    const page = await consolePage(pages, owner, { viewport: { width, height: width === 320 ? 640 : 800 }, locale: lang });
    for (const [name, path] of views) {
      const status = await page.goto(`/console/test${path}`);
      await page.page.screenshot({ path: `/tmp/shots-links/${name}-${lang}-${width}.png`, fullPage: true });
      const p = await page.problems();
      if (status !== 200 || p.length) console.log(name, lang, width, status, p);
    }
  }
}, 240000);
