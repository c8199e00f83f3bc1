import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hasBrowser, startPages, type Pages } from "../../support/browser.ts";
import { HOSTILE } from "../../support/hostile-texts.ts";
import { createMerchant, type Merchant } from "../../support/merchant.ts";

const SHOP = "https://loja.example/obrigado?pedido=7&x=%22";
const MESSAGE = "Obrigada pela compra!\nEnviamos em dois dias.";

let pages: Pages;
let merchant: Merchant;

describe.skipIf(!hasBrowser)("a payer who has paid", () => {
  beforeAll(async () => {
    pages = await startPages();
    merchant = await createMerchant(pages.service);
  });
  afterAll(async () => await pages.close());

  const paid = async (link: object, options: object = {}) => {
    const payer = await pages.newPage(options);
    const left: string[] = [];
    await payer.page.context().route(/^https:/, async (route) => {
      const { url, headers } = { url: route.request().url(), headers: await route.request().allHeaders() };
      left.push(`${url} ${headers["referer"] ?? "no referrer"}`);
      await route.fulfill({ status: 200, contentType: "text/html", body: "<h1>Loja</h1>" });
    });
    await payer.open(await merchant.newLink({ payment_methods: ["pix"], ...link }));
    return { payer, left };
  };

  test.each([
    ["pt-BR", "Voltar para loja.example", true],
    ["en", "Back to loja.example", true],
    ["pt-BR", "Voltar para loja.example", false],
  ])(
    "reads the thank-you and goes back to the shop by a press alone (%s, %s, script: %s)",
    async (locale, label, javaScriptEnabled) => {
      const given = { success_url: SHOP, success_message: MESSAGE };
      const { payer, left } = await paid(given, { locale, javaScriptEnabled });
      expect(await payer.text()).not.toContain("Obrigada");
      await payer.simulate("approve");
      expect(await payer.text()).toContain(MESSAGE);
      if (javaScriptEnabled) expect(await payer.problems()).toEqual([]);
      await payer.page.reload();
      expect(left).toEqual([]);
      await payer.follow(`a:text-is("${label}")`);
      expect(left).toEqual([`${SHOP} no referrer`]);
    },
  );

  test("reads a hostile message as text", async () => {
    const { payer } = await paid({ success_message: HOSTILE.slice(0, 500) });
    await payer.simulate("approve");
    expect(await payer.page.locator(".panel .details").textContent()).toBe(HOSTILE.slice(0, 500));
    expect(await payer.page.locator("script").count()).toBe(1);
    expect(payer.complaints).toEqual([]);
  });

  test("sees neither where the link has none", async () => {
    const { payer } = await paid({});
    await payer.simulate("approve");
    expect(await payer.page.locator(".panel .details, .panel a.button").count()).toBe(0);
  });
});
