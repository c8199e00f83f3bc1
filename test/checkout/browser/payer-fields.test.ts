import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hasBrowser, startPages, type PayerPage, type Pages } from "../../support/browser.ts";
import { createMerchant, type Merchant } from "../../support/merchant.ts";

const SESSION_SECONDS = 900;
const ASKED = { name: "required", email: "optional", tax_id: "required" };
const PERSON = { name: "Ana Souza", email: "ana@example.com", document: "529.982.247-25" };

let pages: Pages;
let merchant: Merchant;

describe.skipIf(!hasBrowser)("a payer who is asked for name, e-mail and CPF", () => {
  beforeAll(async () => {
    pages = await startPages();
    merchant = await createMerchant(pages.service);
  });
  afterAll(async () => await pages.close());

  const onLink = async (way?: "card" | "pix-1", options: object = {}): Promise<PayerPage> => {
    const payer = await pages.newPage(options);
    await payer.open(await merchant.newLink({ payer_fields: ASKED, campaign: true }), way);
    return payer;
  };
  const fill = async ({ page }: PayerPage, person: Partial<typeof PERSON> = PERSON): Promise<void> => {
    for (const [id, text] of Object.entries(person)) await page.fill(`#${id}`, text);
  };
  const typed = async ({ page }: PayerPage) => ({
    name: await page.inputValue("#name"),
    email: await page.inputValue("#email"),
    document: await page.inputValue("#document"),
  });

  test.each([
    ["pt-BR", true],
    ["en-US", true],
    ["pt-BR", false],
  ])(
    "is told of a wrong digit beside the field, keeps the rest and pays: %s, script %s",
    async (locale, script) => {
      const payer = await onLink(undefined, { locale, javaScriptEnabled: script });
      if (script) expect(await payer.problems()).toEqual([]);
      await fill(payer, { ...PERSON, document: "529.982.247-24" });
      await payer.press();
      const problem = await payer.page.innerText("#document_problem");
      expect(problem).toContain(locale === "pt-BR" ? "dígito errado" : "digit of this CPF or CNPJ is wrong");
      expect(await typed(payer)).toEqual({ ...PERSON, document: "529.982.247-24" });
      if (script) expect(await payer.problems()).toEqual([]);
      await fill(payer);
      await payer.press();
      expect(await payer.page.inputValue("#pix_code")).toContain("br.gov.bcb.pix");
    },
  );

  test("has a new code in one touch in the session, and finds the typed values in the next one", async () => {
    const payer = await onLink("pix-1");
    await fill(payer);
    await payer.press();
    await payer.simulate("expire");
    await payer.follow('button:has-text("Gerar novo código")');
    expect(await payer.heading()).toBe("Pague com Pix");
    await payer.simulate("expire");
    pages.service.clock.advance(SESSION_SECONDS + 1);
    await payer.page.reload();
    await payer.follow('button:has-text("Gerar novo código")');
    expect(await typed(payer)).toEqual(PERSON);
    await payer.press();
    await payer.simulate("approve");
    expect(await payer.heading()).toBe("Pagamento confirmado");
    expect(await payer.page.evaluate("sessionStorage.length")).toBe(0);
  });

  test("uses another card and then Pix without typing again", async () => {
    const payer = await onLink("card");
    await payer.choose("card-1");
    await fill(payer, { ...PERSON, email: "" });
    await payer.testCard("tok_card_declined");
    await payer.press();
    await payer.follow(':is(a, button):has-text("Usar outro cartão")');
    expect(await payer.text()).toContain("Os dados que você informou antes serão usados de novo.");
    expect(await payer.problems()).toEqual([]);
    await payer.testCard("tok_card_declined");
    await payer.press();
    await payer.follow('button:has-text("Pagar com Pix · R$")');
    expect(await payer.heading()).toBe("Pague com Pix");
  });
});
