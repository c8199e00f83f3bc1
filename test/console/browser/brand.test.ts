import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hasBrowser, startPages, type Pages } from "../../support/browser.ts";
import { consolePage, createUser } from "../../support/console.ts";
import { pictureFolder } from "../../support/media.ts";
import { createMerchant } from "../../support/merchant.ts";
import { png } from "../../support/pictures.ts";

const TEST_MS = 120_000;
const PHONE = { viewport: { width: 375, height: 667 } };
const PAGE = "/console/test/settings/profile";
const HEAD = ".brand-head";

describe.runIf(hasBrowser)("the brand", { timeout: TEST_MS }, () => {
  let pages: Pages;
  let pictures: Awaited<ReturnType<typeof pictureFolder>>;
  beforeAll(async () => {
    pictures = await pictureFolder();
    pages = await startPages({ mediaStorage: pictures.mediaStorage });
  });
  afterAll(async () => {
    await pages.close();
    await pictures.remove();
  });

  const open = async (options = {}) => {
    const merchant = await createMerchant(pages.service);
    const user = await createUser(pages.service, merchant.tenant.id, "owner");
    return { merchant, own: await consolePage(pages, user, { ...PHONE, ...options }) };
  };

  test.each(["pt-BR", "en"])(
    "is a first step, is seen as it is typed and picked, and is in a link's preview (%s)",
    async (locale) => {
      const { own } = await open({ locale });
      await own.goto("/console/test");
      await own.follow(`main a[href="${PAGE}"]`);
      await own.page.setInputFiles("#field-content", {
        name: "logo.png",
        mimeType: "image/png",
        buffer: await png(),
      });
      await own.follow("main form[enctype] button");
      expect(await own.problems()).toEqual([]);
      const logo = own.page.locator(`${HEAD} img`);
      expect(
        await logo.evaluate((image) => (image as { naturalWidth: number }).naturalWidth),
      ).toBeGreaterThan(0);
      await own.page.fill("#field-display_name", "Doces da Ana");
      await own.page.fill("[data-color-of]", "#7a1f5c");
      expect(await own.page.inputValue("#field-color")).toBe("#7a1f5c");
      expect(await own.page.locator(`${HEAD} span`).innerText()).toBe("Doces da Ana");
      expect(await own.page.getAttribute(`${HEAD} rect`, "fill")).toBe("#7a1f5c");
      await own.page.fill("#field-color", "#7a");
      expect(await own.page.getAttribute(`${HEAD} rect`, "fill")).toBe("#0d3b32");
      await own.page.fill("#field-color", "#1f5c7a");
      expect(await own.page.inputValue("[data-color-of]")).toBe("#1f5c7a");
      await own.follow("main button.primary");
      await own.goto("/console/test/links/new");
      expect(await own.page.locator(`${HEAD} span`).innerText()).toBe("Doces da Ana");
      expect(await own.page.getAttribute(`${HEAD} rect`, "fill")).toBe("#1f5c7a");
      expect(await own.page.locator(`${HEAD} img`).count()).toBe(1);
      expect(await own.problems()).toEqual([]);
      await own.goto("/console/test");
      expect(await own.page.locator(`li:has(a[href="${PAGE}"]) .badge`).count()).toBe(1);
      expect(own.complaints).toEqual([]);
    },
  );

  test("without a script it is given by texts, and the picker is not seen", async () => {
    const { own, merchant } = await open({ javaScriptEnabled: false });
    await own.goto(PAGE);
    expect(await own.page.locator("[data-color-of]").isVisible()).toBe(false);
    await own.page.fill("#field-display_name", "Doces da Ana");
    await own.page.fill("#field-color", "#7a1f5c");
    await own.follow("main button.primary");
    await own.goto(PAGE);
    expect(await own.page.locator(`${HEAD} span`).innerText()).toBe("Doces da Ana");
    expect(await own.page.getAttribute(`${HEAD} rect`, "fill")).toBe("#7a1f5c");
    const payer = await pages.newPage(PHONE);
    await payer.goto(`/pay/${await merchant.newLink()}`);
    expect(await payer.page.locator("header").innerText()).toContain("Doces da Ana");
  });

  test("no file is no logo: the page says what to do, and nothing changes", async () => {
    const { own } = await open();
    await own.goto(PAGE);
    await own.follow("main form[enctype] button");
    expect(await own.page.locator("main").innerText()).toContain("Escolha um arquivo.");
    await own.goto(PAGE);
    expect(await own.page.locator(`${HEAD} img`).count()).toBe(0);
  });
});
