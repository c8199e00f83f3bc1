import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hasBrowser, startPages, type Pages } from "../../support/browser.ts";
import { consolePage, createUser } from "../../support/console.ts";
import { createMerchant } from "../../support/merchant.ts";

const TEST_MS = 120_000;
const PHONE = { viewport: { width: 375, height: 667 } };

describe.runIf(hasBrowser)("the button of a refund", { timeout: TEST_MS }, () => {
  let pages: Pages;
  beforeAll(async () => {
    pages = await startPages();
  });
  afterAll(async () => await pages.close());

  test.each(["pt-BR", "en"] as const)("says what it will do with what is typed, in %s", async (locale) => {
    const merchant = await createMerchant(pages.service);
    const { id } = (await merchant.pay()).body;
    const user = await createUser(pages.service, merchant.tenant.id, "finance");
    const { page, ...rest } = await consolePage(pages, user, { ...PHONE, locale });
    await page.goto(`/console/test/payments/${id}/refund`);
    const button = page.locator("main button.danger");
    const says = async (text: string) => {
      await page.fill("#field-amount", text);
      return (await button.innerText()).replaceAll(/[\u00A0\u202F]/g, " ");
    };
    const [word, sign] = locale === "en" ? ["Refund", "R$"] : ["Devolver", "R$ "];
    const cents = locale === "en" ? "." : ",";
    expect(await says("10")).toBe(`${word} ${sign}10${cents}00`);
    expect(await says("12,5")).toBe(`${word} ${sign}12${cents}50`);
    expect(await says("R$ 7.05")).toBe(`${word} ${sign}7${cents}05`);
    // Only the service reads it.
    for (const text of ["1.000", "1,2,3", "x", "10,005"]) expect(await says(text)).toBe(word);
    expect(await says("")).toBe(`${word} ${sign}159${cents}90`);
    expect(rest.complaints).toEqual([]);
  });

  test("without a script it names no amount, and does what is typed", async () => {
    const merchant = await createMerchant(pages.service);
    const { id } = (await merchant.pay()).body;
    const user = await createUser(pages.service, merchant.tenant.id, "finance");
    const { page } = await consolePage(pages, user, { ...PHONE, javaScriptEnabled: false });
    await page.goto(`/console/test/payments/${id}/refund`);
    await page.fill("#field-amount", "10,00");
    await page.fill("#field-password", user.password);
    expect(await page.locator("main button.danger").innerText()).toBe("Devolver");
    await page.click("main button.danger");
    await page.waitForURL(/done=refunded/);
    expect((await merchant.api.get(`/v1/payments/${id}`)).body.refunded_amount).toBe(1000);
  });
});
