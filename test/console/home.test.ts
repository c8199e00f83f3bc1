import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hasBrowser, startPages, type Pages } from "../support/browser.ts";
import { consolePage, createUser } from "../support/console.ts";
import { createMerchant, type Merchant } from "../support/merchant.ts";

const PHONE = { viewport: { width: 320, height: 640 }, locale: "en" };

let pages: Pages;
let merchant: Merchant;

describe.skipIf(!hasBrowser)("the first page", () => {
  beforeAll(async () => {
    pages = await startPages();
    merchant = await createMerchant(pages.service);
  });
  afterAll(async () => await pages.close());

  test("greets, shows what there is today and leads on", async () => {
    const owner = await createUser(pages.service, merchant.tenant.id, "owner");
    const visitor = await consolePage(pages, owner);
    await visitor.goto("/console/test");
    expect(await visitor.text()).toContain("Comece por um link");
    const paid = await merchant.pay({ amount: 15_990, reference: "<b>order</b>" });
    await merchant.pay({ amount: 20_000 }, { outcome: "failed" });
    await visitor.goto("/console/test");
    const text = await visitor.text();
    expect(text).toContain("R$ 159,90");
    expect(text).toContain("<b>order</b>");
    expect(text).toContain("Recusados ou expirados: 1");
    expect(await visitor.problems()).toEqual([]);
    expect(await visitor.page.locator(`a[href="/console/test/payments/${paid.body.id}"]`).count()).toBe(1);
    expect(await visitor.page.locator("nav.modes a[aria-current]").innerText()).toBe("Teste");
    // Nothing of one mode is on a page of the other.
    await visitor.goto("/console/live");
    expect(await visitor.text()).not.toContain("159,90");
    expect(await visitor.page.locator("nav.modes a[aria-current]").innerText()).toBe("Produção");
    expect(await visitor.page.locator(".test").count()).toBe(0);
    expect(visitor.complaints).toEqual([]);
  });

  test.each(["owner", "developer", "finance", "viewer"] as const)(
    "is for a %s, on a phone, too",
    async (role) => {
      const user = await createUser(pages.service, merchant.tenant.id, role);
      const visitor = await consolePage(pages, user, PHONE);
      await visitor.goto("/console/test");
      expect(await visitor.problems()).toEqual([]);
      expect(await visitor.page.locator('main .actions a[href$="/links/new"]').count()).toBe(
        role === "viewer" ? 0 : 1,
      );
      await visitor.page.click("nav.sections summary");
      const sections = await visitor.page.locator("nav.sections a").allInnerTexts();
      const expected = {
        owner: [
          "Home",
          "Links",
          "Quotes",
          "Payments",
          "To resolve",
          "Day's close",
          "Reconciliation",
          "Pictures",
          "Webhooks",
          "API keys",
          "Accounts at banks",
          "People",
          "Settings",
          "Audit log",
        ],
        developer: [
          "Home",
          "Links",
          "Quotes",
          "Payments",
          "To resolve",
          "Day's close",
          "Pictures",
          "Webhooks",
          "API keys",
          "Settings",
        ],
        finance: [
          "Home",
          "Links",
          "Quotes",
          "Payments",
          "To resolve",
          "Day's close",
          "Reconciliation",
          "Pictures",
          "Settings",
          "Audit log",
        ],
        viewer: ["Home", "Links", "Quotes", "Payments", "To resolve", "Day's close"],
      };
      expect(sections).toEqual(expected[role]);
      expect(await visitor.problems()).toEqual([]);
    },
  );
});

describe.skipIf(!hasBrowser)("without a script", () => {
  let plain: Pages;
  beforeAll(async () => {
    plain = await startPages();
  });
  afterAll(async () => await plain.close());

  test("a user accepts an invitation, signs in and finds the sections", async () => {
    const tenant = await plain.service.createTenant();
    const user = await createUser(plain.service, tenant.id, "owner");
    const visitor = await consolePage(plain, user, { javaScriptEnabled: false });
    expect(await visitor.goto("/console")).toBe(200);
    expect(await visitor.page.locator("nav.sections a").first().isVisible()).toBe(true);
    await visitor.follow(".account button");
    expect(await visitor.heading()).toBe("Entrar");
  });
});
