import { createClient } from "@connectrpc/connect";
import { describe, expect, test } from "vitest";
import { IdentityService } from "../../gen/paylink/identity/v1/identity_pb.ts";
import { forFile } from "../support/for-file.ts";
import { createMerchant } from "../support/merchant.ts";
import { PageCaller } from "./page-caller.ts";

const caller = await forFile(PageCaller.start());
const { service, merchant, rows, get, post } = caller;

const PROFILE = {
  displayName: "Marcenaria Silva & Filhos",
  color: "#7a1f5c",
  taxId: "11.222.333/0001-81",
  contact: "ola@silva.example",
  site: "https://www.silva.example/loja",
};
const presented = async (tenantId: string) =>
  await createClient(IdentityService, service.core.transport).updateTenant(
    { tenantId, ...PROFILE },
    service.internal,
  );
/** Opens a link by a way, and returns the session's path and the browser's cookie. */
const opened = async (link: string, way = "pix-1") => {
  const { headers } = await post(`/pay/${link}/sessions`, { way });
  const [path = ""] = String(headers.location).split("?");
  return { path, cookie: String(headers["set-cookie"]).split(";")[0] ?? "" };
};
const textOf = (html: string): string =>
  html
    .replaceAll(/<(style|script|head)[^]*?<\/\1>|<[^>]+>/g, " ")
    .replaceAll(/[\s\u00A0\u202F]+/g, " ")
    .replaceAll("&amp;", "&");

describe("a receipt", () => {
  test("stays at the link's address for its payer, with all that was paid; others see that the link is paid", async () => {
    await presented(merchant.tenant.id);
    const link = await merchant.newLink({ description: "Mesa" });
    const { path, cookie } = await opened(link);
    await post(`${path}/simulate`, { action: "approve" });
    const before = await rows.countAll("test");
    service.clock.advance(100_000);
    const answer = await get(`/pay/${link}`, { cookie });
    expect(answer.statusCode).toBe(200);
    const [paid] = await rows.read("SELECT id FROM test.payment WHERE link_id = $1", [link]);
    const text = textOf(answer.body);
    for (const part of [
      "Pagamento confirmado",
      "Comprovante de pagamento",
      "Produto Mesa",
      "Forma de pagamento Pix",
      "Total R$ 159,90",
      "Recebedor Marcenaria Silva & Filhos",
      "CNPJ 11.222.333/0001-81",
      "Contato ola@silva.example",
      "Site www.silva.example",
      `ID do pagamento ${String(paid?.["id"])}`,
      `ID da transação Pix sandbox-${String(paid?.["id"]).replace("_", "")}`,
    ]) {
      expect(text).toContain(part);
    }
    expect(text).toMatch(/Data \d\d\/\d\d\/\d{4} às \d\d?h\d\d/);
    expect(text).toContain("Total pago R$ 159,90");
    expect((await get(path)).body).toContain("Comprovante de pagamento");
    const other = await get(`/pay/${link}`);
    expect(other.statusCode).toBe(410);
    expect(other.body).not.toContain(String(paid?.["id"]));
    expect(await rows.countAll("test")).toEqual(before);
  });

  test("of a card has its installments, and no id of a Pix", async () => {
    const { path } = await opened(await merchant.newLink({ amount: 42_685, fee_handling: "absorb" }), "card");
    await post(`${path}/payments`, { way: "card-3", card_token: "tok_approved" });
    const text = textOf((await get(path)).body);
    expect(text).toContain("Forma de pagamento Cartão de crédito");
    expect(text).toMatch(/Parcelas 3x até R\$ 142,29 sem juros, 1ª de R\$ 142,29, demais de R\$ 142,28/);
    expect(text).not.toContain("transação Pix");
  });

  test("has every part of the price that was charged, as it is stored, and the merchant's reference", async () => {
    const link = await merchant.newLink({
      amount: 10_000,
      currency: "USD",
      fee_handling: "pass_through",
      reference: "pedido <7>",
    });
    const { path } = await opened(link, "card");
    const page = (await get(`${path}?way=card-2`)).body;
    const [, total = ""] = /name="acknowledged_total"\s+value="(\d+)"/.exec(page) ?? [];
    await post(`${path}/payments`, { way: "card-2", card_token: "tok_approved", acknowledged_total: total });
    const { body } = await get(path);
    const [price = {}] = await rows.read(
      `SELECT p.base_minor, p.service_fee_minor, p.installment_surcharge_minor, p.payer_total_minor, p.rate_micros
        FROM test.price p JOIN test.payment y ON y.tenant_id = p.tenant_id AND y.price_id = p.id WHERE y.link_id = $1`,
      [link],
    );
    const shown = Object.fromEntries(
      [...body.matchAll(/<dd data-(product|fee|interest|total)="(\d+)"/g)].map(([, name, text]) => [
        name,
        text,
      ]),
    );
    expect(shown).toEqual({
      product: price["base_minor"],
      fee: price["service_fee_minor"],
      interest: price["installment_surcharge_minor"],
      total: price["payer_total_minor"],
    });
    const text = textOf(body);
    const rate = String(Number(price["rate_micros"]) / 1e6).replace(".", ",");
    for (const part of [
      "Valor do produto US$ 100,00 = R$",
      "Tarifa de serviço R$",
      "Juros do parcelamento R$",
      "Cartão Visa final 1000",
      `Câmbio US$ 1 = R$ ${rate}`,
      "Referência pedido &lt;7&gt;",
    ]) {
      expect(text).toContain(part);
    }
  });

  test("of a fee that the merchant bears has the product's price and no fee", async () => {
    const { path } = await opened(await merchant.newLink({ fee_handling: "absorb" }));
    await post(`${path}/simulate`, { action: "approve" });
    const text = textOf((await get(path)).body);
    expect(text).toContain("Valor do produto R$ 159,90");
    expect(text).not.toMatch(/Tarifa|Juros|IOF|Câmbio|Referência|Enviar comprovante/);
  });

  test("of a dollar link has the price that its pages had, and what it is in reais", async () => {
    const link = await merchant.newLink({ amount: 5000, currency: "USD", fee_handling: "absorb" });
    const price = "Valor do produto US$ 50,00";
    expect(textOf((await get(`/pay/${link}`)).body)).toContain(price);
    const { path } = await opened(link);
    await post(`${path}/payments`, { way: "pix-1" });
    await post(`${path}/simulate`, { action: "approve" });
    const { body } = await get(path);
    const [, reais = ""] = /<dd data-total="\d+">([^<]*)</.exec(body) ?? [];
    expect(textOf(body)).toContain(`${price} = ${textOf(reais).trim()} `);
  });

  test("of a campaign leads to another payment, which a new session takes", async () => {
    const link = await merchant.newLink({ campaign: true });
    const { path, cookie } = await opened(link);
    await post(`${path}/simulate`, { action: "approve" });
    const { body } = await get(`/pay/${link}`, { cookie });
    expect(body).toContain("Comprovante de pagamento");
    const [, again = ""] = /href="([^"]*again=1)"/.exec(body) ?? [];
    expect((await get(again, { cookie })).body).toContain("Gerar Pix");
    expect((await opened(link)).path).not.toBe(path);
  });
});

describe("the time until which a link is valid", () => {
  const UNTIL = "Este link vale até";

  test("is on its open pages, and on none that is over", async () => {
    const link = await merchant.newLink();
    expect((await get(`/pay/${link}`)).body).toContain(UNTIL);
    const { path } = await opened(link);
    expect((await get(path)).body).toContain(UNTIL);
    await post(`${path}/simulate`, { action: "approve" });
    expect((await get(path)).body).not.toContain(UNTIL);
    expect((await get(`/pay/${link}`)).body).not.toContain(UNTIL);
    const short = await merchant.newLink({ expires_in: 1 });
    service.clock.advance(2);
    expect((await get(`/pay/${short}`)).body).not.toContain(UNTIL);
  });
});

describe("a merchant's profile", () => {
  test("is on the page and in what others show of a shared link, which has nothing private", async () => {
    const shop = await createMerchant(service);
    const link = await shop.newLink({
      description: "Mesa & cadeiras",
      reference: "secret-ref",
      metadata: { note: "secret-note" },
      product_images: ["https://img.example/mesa.jpg"],
    });
    const plain = (await get(`/pay/${link}`)).body;
    expect(plain).toMatch(/class="brand"[^>]*>\s*paylink\s*</);
    await presented(shop.tenant.id);
    const { body, headers } = await get(`/pay/${link}`);
    expect(body).toMatch(/class="brand"[^>]*>\s*Marcenaria Silva &amp; Filhos/);
    const [, nonce] = /style-src 'nonce-(\w+)'/.exec(String(headers["content-security-policy"])) ?? [];
    expect(body).toContain(`<style nonce="${nonce}">`);
    expect(body).toMatch(/--deep:\s*#7a1f5c/);
    expect(body).toContain("11.222.333/0001-81");
    const tags = Object.fromEntries(
      [...body.matchAll(/<meta property="([^"]+)" content="([^"]*)"/g)].map(([, name, text = ""]) => [
        name,
        text.replaceAll(/[\u00A0\u202F]/g, " "),
      ]),
    );
    expect(tags).toMatchObject({
      "og:title": "Mesa &amp; cadeiras",
      "og:description": "R$ 159,90 · Pagamento para Marcenaria Silva &amp; Filhos",
      "og:site_name": "Marcenaria Silva &amp; Filhos",
      "og:image": "https://img.example/mesa.jpg",
      "product:price:amount": "159.90",
      "product:price:currency": "BRL",
    });
    expect(body).not.toMatch(/secret-/);
    const { path } = await opened(link);
    expect((await get(path)).body).not.toContain("og:");
  });

  test("has a logo that the page shows, and as its icon", async () => {
    const shop = await createMerchant(service);
    const logoUrl = "https://img.example/logo.png";
    const identity = createClient(IdentityService, service.core.transport);
    await identity.updateTenant({ tenantId: shop.tenant.id, logoUrl }, service.internal);
    const { body } = await get(`/pay/${await shop.newLink()}`);
    expect(body).toMatch(/<link rel="icon" href="https:\/\/img.example\/logo.png"/);
    expect(body).toMatch(/class="brand"[^>]*>\s*<img\s+src="https:\/\/img.example\/logo.png"/);
    expect(body).toContain('<meta property="og:image" content="https://img.example/logo.png"');
  });
});
