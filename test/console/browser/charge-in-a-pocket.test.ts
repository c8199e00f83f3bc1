import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { RefundScene } from "../../refunds/scene.ts";
import { hasBrowser, startPages, type Pages } from "../../support/browser.ts";
import { consolePage, createUser } from "../../support/console.ts";
import { DatabaseRows } from "../../support/database-rows.ts";
import { createMerchant } from "../../support/merchant.ts";

const TEST_MS = 120_000;
const PHONE = { viewport: { width: 375, height: 667 }, isMobile: true, hasTouch: true };
const PRESSES_MAX = 10;
const SCREENS_MAX = 3;
const HEADER_PX_MAX = 60;
const BUTTON_PX = 36;
const ROW_PX_MAX = 70;
const LINE_PX_MAX = 36;
/** What the device shares. */
const SHARE = "navigator.share = async (shared) => void (window.shared = shared);";

describe.runIf(hasBrowser)("a console in a pocket", { timeout: TEST_MS }, () => {
  let pages: Pages;
  beforeAll(async () => {
    pages = await startPages();
  });
  afterAll(async () => await pages.close());

  const open = async (options = {}) => {
    const merchant = await createMerchant(pages.service);
    const user = await createUser(pages.service, merchant.tenant.id, "owner");
    return { merchant, user, own: await consolePage(pages, user, { ...PHONE, ...options }) };
  };

  test.each([
    ["pt-BR", "25,00", "R$ 25,00"],
    ["en", "25.00", "R$25.00"],
  ])(
    "makes a link, shares it, and its payer pays it, in at most ten presses (%s)",
    async (locale, amount, text) => {
      const { own, merchant } = await open({ locale });
      await own.page.addInitScript(SHARE);
      await own.goto("/console/test");
      let presses = 0;
      const press = async (on: typeof own, selector: string) => {
        presses += 1;
        await on.follow(selector);
      };
      await press(own, "main .actions a.primary");
      expect(await own.problems()).toEqual([]);
      await own.page.fill("#field-amount", amount);
      await own.page.fill("#field-description", "Bolo de cenoura");
      await press(own, "main button.primary");
      expect(await own.heading()).toBe("Bolo de cenoura");
      expect(await own.text()).toContain(text);
      expect(await own.problems()).toEqual([]);
      const chat = (await own.page.getAttribute("a[href^='https://wa.me/']", "href")) ?? "";
      const sent = new URL(chat).searchParams.get("text") ?? "";
      expect(sent.replaceAll(/[\u00A0\u202F]/g, " ")).toContain(text);
      presses += 1;
      await own.page.click("button[data-share]");
      expect(await own.page.evaluate("window.shared.text")).toBe(sent);
      const [address = ""] = /http\S+$/.exec(sent) ?? [];

      const payer = await pages.newPage({ ...PHONE, locale });
      presses += 1;
      await payer.goto(address);
      await press(payer, "main button.primary, main a.primary");
      presses += 1;
      await payer.simulate("approve");
      await own.goto("/console/test/payments");
      expect(await own.text()).toContain(text);
      expect(presses).toBeLessThanOrEqual(PRESSES_MAX);
      const link = (await merchant.api.get("/v1/payment_links")).body.data[0];
      expect([link.amount, link.status, link.payment_methods]).toEqual([2500, "completed", ["pix", "card"]]);
      expect(link.expires_at - link.created).toBe(7 * 86_400);
      expect([own.complaints, payer.complaints]).toEqual([[], []]);
    },
  );

  test("says beside the amount what is wrong with it, and makes no link", async () => {
    const { own, merchant } = await open();
    await own.goto("/console/test/links/charge");
    await own.page.fill("#field-amount", "1,2,3");
    await own.follow("main button.primary");
    expect(await own.page.locator("#field-amount-problem").count()).toBe(1);
    expect((await merchant.api.get("/v1/payment_links")).body.data).toEqual([]);
  });

  test.each([true, false])(
    "has one header row, and a first page of three screens (script: %s)",
    async (javaScriptEnabled) => {
      const { own, merchant } = await open({ javaScriptEnabled });
      for (let count = 0; count < 6; count += 1)
        await merchant.pay({ amount: 15_990 + count, description: "Bolo" });
      await merchant.pay({}, { outcome: "failed" });
      await own.goto("/console/test");
      const header = await own.page.locator("header.top").boundingBox();
      expect(header?.height).toBeLessThanOrEqual(HEADER_PX_MAX);
      const height = await own.page
        .locator("body")
        .evaluate((body) => (body as { scrollHeight: number }).scrollHeight);
      expect(height).toBeLessThanOrEqual(SCREENS_MAX * PHONE.viewport.height);
      // What is folded is a press away.
      expect(await own.page.locator("nav.sections a").first().isVisible()).toBe(false);
      await own.page.click("nav.sections summary");
      expect(await own.page.locator("nav.sections a").first().isVisible()).toBe(true);
      await own.page.click("nav.sections summary");
      await own.page.click("details.own summary");
      expect(await own.page.locator("form[action='/console/signout'] button").isVisible()).toBe(true);
    },
  );

  test("has rows of two lines in its lists, and their filters folded but in use", async () => {
    const { own, merchant } = await open();
    for (const description of ["Bolo de cenoura com cobertura de chocolate amargo", "Pão"])
      await merchant.newLink({ description, reference: "pedido-1042" });
    await own.goto("/console/test/links");
    for (const row of await own.page.locator("tbody tr").all())
      expect((await row.boundingBox())?.height).toBeLessThanOrEqual(ROW_PX_MAX);
    expect(await own.page.locator("#field-status").isVisible()).toBe(false);
    expect(await own.page.locator(".fold-of-filters summary").innerText()).toBe("Filtros");
    await own.page.click(".fold-of-filters summary");
    await own.page.selectOption("#field-status", "expired");
    await own.shows("Filtros (em uso)");
    await own.shows("Nenhum link corresponde à busca.");
    expect(await own.problems()).toEqual([]);
  });

  test("has rows of two lines of payments and refunds, a third with what an exception asks for, and amounts that do not break", async () => {
    const { own, merchant } = await open();
    const rows = await new DatabaseRows(pages.service.databaseUrl).open();
    const scene = new RefundScene(pages.service, merchant, rows);
    try {
      const description = "Bolo de cenoura com cobertura de chocolate amargo";
      const id = await scene.paidByPix({ description, amount: 242_890 });
      await scene.refund(id, { amount: 1234 });
      await scene.returnedByProvider(id, 500n);
      await scene.refresh(id);
      await scene.lateMoney();
    } finally {
      await rows.close();
    }
    for (const [path, count, heightMax] of [
      ["payments", 2, ROW_PX_MAX],
      ["payments/refunds", 2, ROW_PX_MAX],
      ["payments/exceptions", 1, ROW_PX_MAX + BUTTON_PX],
    ] as const) {
      await own.goto(`/console/test/${path}`);
      const shown = await own.page.locator(".pocket tbody tr").all();
      expect(shown).toHaveLength(count);
      for (const row of shown) {
        expect((await row.boundingBox())?.height).toBeLessThanOrEqual(heightMax);
        expect(await row.locator("a:visible").count()).toBeGreaterThan(0);
      }
      expect(await own.problems()).toEqual([]);
      for (const amount of await own.page.locator(".results .big").all())
        expect((await amount.boundingBox())?.height).toBeLessThanOrEqual(LINE_PX_MAX);
    }
  });

  test.each([true, false])("is no fold on a wide window (script: %s)", async (javaScriptEnabled) => {
    const { own } = await open({
      viewport: { width: 1280, height: 800 },
      javaScriptEnabled,
      isMobile: false,
    });
    await own.goto("/console/test/links");
    for (const shown of ["nav.sections a", "a.who", "#field-status"])
      expect(await own.page.locator(shown).first().isVisible()).toBe(true);
    expect(await own.page.locator("nav.sections summary").isVisible()).toBe(false);
  });
});
