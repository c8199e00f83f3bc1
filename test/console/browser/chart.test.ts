import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { insertPayments, randomPayments } from "../../support/bulk-payments.ts";
import { hasBrowser, startPages, type Pages } from "../../support/browser.ts";
import { consolePage, createUser, type TestUser } from "../../support/console.ts";
import { DatabaseRows } from "../../support/database-rows.ts";
import { createMerchant } from "../../support/merchant.ts";

const DAY_MS = 86_400_000;

describe.runIf(hasBrowser)("a chart", () => {
  let pages: Pages;
  let rows: DatabaseRows;
  let viewer: TestUser;
  beforeAll(async () => {
    pages = await startPages();
    rows = await new DatabaseRows(pages.service.databaseUrl).open();
    const merchant = await createMerchant(pages.service);
    viewer = await createUser(pages.service, merchant.tenant.id, "viewer");
    const now = Date.now();
    await insertPayments(
      rows,
      merchant.tenant.id,
      randomPayments(100, new Date(now - 5 * DAY_MS), new Date(now - DAY_MS)).filter(
        ({ input }) => input.payoutCurrency === "BRL" && input.currency === "BRL",
      ),
    );
  });
  afterAll(async () => {
    await rows.close();
    await pages.close();
  });

  test.each(["pt-BR", "en-US"])(
    "says a day's values on hover, by touch and with the keys, in %s",
    async (locale) => {
      const page = await consolePage(pages, viewer, { locale });
      await page.goto("/console/test");
      const chart = page.page.locator("figure.chart").first();
      const [plot, tip] = [chart.locator(".plot"), chart.locator(".tip")];
      const rowTexts = (await chart.locator("tbody tr").all()).map(
        async (row) => await row.locator("th, td").allTextContents(),
      );
      const days = (await Promise.all(rowTexts)).map((cells) => cells.map((text) => text.trim()));
      const expectTip = async (day: readonly string[]) => {
        for (const text of day) expect(await tip.innerText()).toContain(text);
      };
      expect(days).toHaveLength(7);
      const { width, height } = (await plot.boundingBox()) ?? { width: 0, height: 0 };
      await plot.hover({ position: { x: width / 14, y: height / 2 } });
      await expectTip(days[0] ?? []);
      await plot.dispatchEvent("pointerdown", {
        pointerType: "touch",
        clientX: ((await plot.boundingBox())?.x ?? 0) + (width * 5) / 14,
      });
      await expectTip(days[2] ?? []);
      await plot.focus();
      await plot.press("End");
      await plot.press("ArrowLeft");
      await expectTip(days[5] ?? []);
      for (const text of days[5] ?? []) expect(await plot.getAttribute("aria-valuetext")).toContain(text);
      expect(await page.problems()).toEqual([]);
      await plot.press("Escape");
      expect(await tip.isVisible()).toBe(false);
    },
  );
});
