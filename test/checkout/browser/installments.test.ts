import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hasBrowser, startPages, type Pages, type PayerPage } from "../../support/browser.ts";
import { createMerchant, type Merchant } from "../../support/merchant.ts";

const PHONE = { viewport: { width: 375, height: 812 }, locale: "pt-BR" };
/** What a card's rows of twelve installments may take on a phone, in pixels. */
const ROWS_HEIGHT_MAX = 560;
const ROW_HEIGHT_MAX = 44;

let pages: Pages;
let merchant: Merchant;

describe.skipIf(!hasBrowser)("installments on a phone", () => {
  beforeAll(async () => {
    pages = await startPages();
    merchant = await createMerchant(pages.service);
  });
  afterAll(async () => await pages.close());

  const choosing = async (link: object, options: object = {}): Promise<PayerPage> => {
    const payer = await pages.newPage({ ...PHONE, ...options });
    await payer.open(await merchant.newLink({ amount: 109_900, ...link }), "card");
    return payer;
  };
  const heightOf = async ({ page }: PayerPage, selector: string): Promise<number> =>
    (await page.locator(selector).boundingBox())?.height ?? 0;
  const rowsOf = async ({ page }: PayerPage): Promise<string[]> =>
    (await page.locator(".cards > label").allInnerTexts()).map((text) => text.replaceAll(/\s+/g, " ").trim());

  test.each([
    ["pass_through", "pt-BR", "12x até R$ 107,21 com juros R$ 1.285,53"],
    ["pass_through", "en", "12 × up to R$107.21 with interest R$1,285.53"],
    ["absorb", "pt-BR", "12x até R$ 91,62 sem juros R$ 1.099,00"],
  ])("are one line each with their interest: %s, %s", async (handling, locale, last) => {
    const payer = await choosing({ fee_handling: handling }, { locale });
    const rows = await rowsOf(payer);
    expect(rows).toHaveLength(12);
    expect(rows.at(-1)).toBe(last);
    const heights = await payer.page
      .locator(".cards > label")
      .evaluateAll((labels) => labels.map((label) => label.getBoundingClientRect().height));
    expect(Math.max(...heights)).toBeLessThanOrEqual(ROW_HEIGHT_MAX);
    expect(await heightOf(payer, ".cards")).toBeLessThanOrEqual(ROWS_HEIGHT_MAX);
    expect(await payer.problems()).toEqual([]);
  });

  test.each([true, false])("are chosen by keyboard alone, with a script: %s", async (javaScriptEnabled) => {
    const payer = await choosing({}, { javaScriptEnabled });
    await payer.page.focus('input[value="card-1"]');
    for (let presses = 1; presses < 3; presses++) await payer.page.keyboard.press("ArrowDown");
    expect(await payer.page.isChecked('input[value="card-3"]')).toBe(true);
    const button = (await payer.page.innerText("main button.primary")).replaceAll(/\s+/g, " ");
    expect(button).toBe(javaScriptEnabled ? "Continuar · R$ 1.099,00" : "Continuar");
    await Promise.all([payer.page.waitForURL(/way=card-3/), payer.page.keyboard.press("Enter")]);
    expect(await payer.text()).toContain("3x até R$ 366,34");
  });

  test("have their interest apart from the service fee, and the button says what is paid", async () => {
    const payer = await choosing({ fee_handling: "pass_through" });
    await payer.choose("card-12");
    const part = async (name: string): Promise<bigint> =>
      BigInt((await payer.page.getAttribute(`[data-${name}]`, `data-${name}`)) ?? -1);
    const { minor, text } = await payer.total();
    const [product, fee, interest] = [await part("product"), await part("fee"), await part("interest")];
    expect(product).toBe(109_900n);
    expect(interest).toBeGreaterThan(0n);
    expect(product + fee + interest).toBe(minor);
    expect(await payer.text()).toMatch(/Tarifa de serviço\s+R\$ [\d.,]+\s+Juros do parcelamento\s+R\$ /);
    const button = (await payer.page.innerText("main button.primary")).replaceAll(/\s+/g, " ");
    expect(button).toBe(`Pagar ${text}`);
    expect(await payer.problems()).toEqual([]);
  });
});
