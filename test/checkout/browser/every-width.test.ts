import { createClient } from "@connectrpc/connect";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { IdentityService } from "../../../gen/paylink/identity/v1/identity_pb.ts";
import { hasBrowser, startPages, type Pages, type PayerPage } from "../../support/browser.ts";
import { createMerchant, type Merchant } from "../../support/merchant.ts";

const WIDTHS = [375, 768, 1280];
const FIRST_VISIT_BYTES = 25_000;
const PROFILE = {
  displayName: "Marcenaria e Movelaria Silva, Irmãos & Filhos de São Bernardo do Campo",
  color: "#7a1f5c",
  taxId: "11.222.333/0001-81",
  contact: "atendimento-ao-cliente@marcenaria-silva.example",
  site: "https://www.marcenaria-e-movelaria-silva.example",
};
const LINK = {
  amount: 999_999_999,
  description: "Conjunto de mesa de jantar extensível com seis cadeiras estofadas em linho cru",
  details: "Entrega em até dez dias úteis na Grande São Paulo, com montagem incluída. ".repeat(6),
  product_ref: "MESA-JANTAR-EXTENSIVEL-6-LINHO-CRU-2026",
};

let pages: Pages;
let merchant: Merchant;

describe.skipIf(!hasBrowser)("a page with long texts", () => {
  beforeAll(async () => {
    pages = await startPages();
    merchant = await createMerchant(pages.service);
    const identity = createClient(IdentityService, pages.service.core.transport);
    await identity.updateTenant({ tenantId: merchant.tenant.id, ...PROFILE }, pages.service.internal);
  });
  afterAll(async () => await pages.close());

  const fits = async (name: string, payer: PayerPage): Promise<void> => {
    for (const width of WIDTHS) {
      await payer.page.setViewportSize({ width, height: 900 });
      expect([name, width, await payer.problems()]).toEqual([name, width, []]);
    }
  };

  test.each(["pt-BR", "en"])("in %s is accessible and fits on phone, tablet and desk", async (locale) => {
    const payer = await pages.newPage({ locale });
    const link = await merchant.newLink({ ...LINK, collect_fields: ["phone", "address"] });
    await payer.goto(`/pay/${link}`);
    await fits("first page", payer);
    await payer.follow('button[value="card"]');
    await fits("installments", payer);
    await payer.choose("card-12");
    await fits("card", payer);
    await payer.page.fill("#phone", "123");
    await payer.page.evaluate(
      "document.querySelectorAll('[required]').forEach((one) => (one.required = false))",
    );
    await payer.press();
    await fits("wrong fields", payer);
    await payer.open(await merchant.newLink(LINK));
    await fits("Pix", payer);
    await payer.simulate("approve");
    await fits("receipt", payer);
    await payer.open(await merchant.newLink({ ...LINK, payment_methods: ["card"], max_installments: 1 }));
    await payer.testCard("tok_challenge");
    await payer.press();
    await fits("confirmation", payer);
  });

  test("is transferred in 25 KB at the first visit", async () => {
    const { page } = await pages.newPage();
    const sizes: Promise<number>[] = [];
    page.on("response", (response) => {
      const size = async (): Promise<number> => {
        const { responseHeadersSize, responseBodySize } = await response.request().sizes();
        return responseHeadersSize + responseBodySize;
      };
      sizes.push(size());
    });
    await page.goto(`/pay/${await merchant.newLink(LINK)}`, { waitUntil: "networkidle" });
    const total = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
    expect(sizes.length).toBeGreaterThanOrEqual(4);
    expect(total).toBeLessThan(FIRST_VISIT_BYTES);
  });
});
