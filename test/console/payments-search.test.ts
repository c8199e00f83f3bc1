import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { insertPayments, randomPayments } from "../support/bulk-payments.ts";
import { hasBrowser, startPages, type Pages, type PayerPage } from "../support/browser.ts";
import { consolePage, createUser, type TestUser } from "../support/console.ts";
import { DatabaseRows } from "../support/database-rows.ts";
import { createMerchant, type Merchant } from "../support/merchant.ts";

const DAY = "2026-03-02";
const [START, END] = [new Date("2026-03-02T03:00:00Z"), new Date("2026-03-03T03:00:00Z")];
const WAIT_MS = 30_000;

describe.runIf(hasBrowser)("searching payments as one types", { timeout: 60_000 }, () => {
  let pages: Pages;
  let rows: DatabaseRows;
  let merchant: Merchant;
  let finance: TestUser;
  let owner: TestUser;
  beforeAll(async () => {
    pages = await startPages();
    rows = await new DatabaseRows(pages.service.databaseUrl).open();
    merchant = await createMerchant(pages.service);
    finance = await createUser(pages.service, merchant.tenant.id, "finance");
    owner = await createUser(pages.service, merchant.tenant.id, "owner");
    const payments = randomPayments(5, START, END).map((payment, index) => {
      return { ...payment, reference: `order-${index}` };
    });
    await insertPayments(rows, merchant.tenant.id, payments);
  });
  afterAll(async () => {
    await rows.close();
    await pages.close();
  });

  const open = async (path: string, user = finance): Promise<PayerPage> => {
    const page = await consolePage(pages, user, { locale: "en-US" });
    page.page.setDefaultTimeout(WAIT_MS);
    await page.goto(`/console/test${path}`);
    return page;
  };
  const found = async ({ page }: PayerPage, text: string): Promise<void> =>
    await page.locator("#found").getByText(text, { exact: true }).waitFor();
  const exported = async ({ page }: PayerPage): Promise<Record<string, string>> => {
    const address = await page.locator('.heading a[href*="/export"]').getAttribute("href");
    return Object.fromEntries(new URL(address ?? "", page.url()).searchParams);
  };

  test("exports what is searched, marks the period that is shown, and is kept in the address", async () => {
    const page = await open("/payments");
    expect(await page.page.locator(".quick [aria-current]").innerText()).toBe("Today");
    expect(await page.page.locator('.heading a[href*="/export"]').count()).toBe(0);
    await page.page.fill("#field-to", DAY);
    await page.page.fill("#field-from", DAY);
    await found(page, "5 payments");
    expect(await page.page.locator(".quick [aria-current]").count()).toBe(0);
    expect(await exported(page)).toEqual({ from: DAY, to: DAY });
    await page.page.fill("#field-q", "order-3");
    await found(page, "1 payment");
    expect(await exported(page)).toEqual({ from: DAY, to: DAY, q: "order-3" });
    await page.page.reload();
    await found(page, "1 payment");
    expect(await page.page.inputValue("#field-q")).toBe("order-3");
    expect(await page.problems()).toEqual([]);
  });

  test("shows beside the filters what is wrong with them, once, and goes on from there", async () => {
    for (const path of ["/payments", "/links"]) {
      const page = await open(`${path}?from=${DAY}&to=${DAY}`);
      await page.page.fill("#field-from", "2026-03-05");
      await page.page.locator("#list #problems").waitFor();
      expect(await page.page.locator("h1").count()).toBe(1);
      expect(await page.page.locator("#list table").count()).toBe(0);
      expect(await page.page.locator(".heading").innerText()).not.toContain("Export");
      expect(await page.problems()).toEqual([]);
      // The address keeps it too; there, the field itself says what is wrong with it.
      await page.page.reload();
      await page.page.locator("#field-from-problem").waitFor();
      await page.page.fill("#field-to", "2026-03-05");
      await page.page.locator("#problems").waitFor({ state: "detached" });
      expect(await page.page.locator(".problem, [aria-invalid]").count()).toBe(0);
    }
  });

  test("names a payment by its whole product and payer at 1280 px", async () => {
    const names = ["Tênis de corrida · Ana S.", "Tênis de corrida leve, azul · Maria Eduarda S."];
    for (const description of names) await merchant.pay({ description });
    const viewport = { width: 1280, height: 800 };
    const own = await consolePage(pages, finance, { locale: "pt-BR", viewport });
    await own.goto("/console/test/payments");
    const cutBy = async (selector: string) =>
      await own.page
        .locator(selector)
        .evaluateAll((all) =>
          all.map((of) => [of.scrollWidth - of.clientWidth, of.scrollHeight - of.clientHeight]),
        );
    for (const name of names) expect(await cutBy(`.named .cut[title="${name}"]`)).toEqual([[0, 0]]);
    expect((await cutBy(".scroll")).every(([width]) => width === 0)).toBe(true);
  });

  test("has its fields in rows: labels, fields and button on a line each, first and last day side by side", async () => {
    for (const path of ["/payments", "/links", "/audit"]) {
      const { page } = await open(path, owner);
      const boxes = async (selector: string) =>
        await page.locator(`.filters ${selector}`).evaluateAll((elements) =>
          elements.map((element) => {
            const { top, bottom } = element.getBoundingClientRect();
            return { top: Math.round(top), bottom: Math.round(bottom) };
          }),
        );
      // Every column is in sight.
      const hidden = await page
        .locator(".scroll")
        .evaluateAll((all) => all.map(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth));
      expect(hidden.filter((width) => width > 0)).toEqual([]);
      const [from, to] = await boxes(".period input");
      expect(from).toBeDefined();
      expect(to).toEqual(from);
      const [labels, fields, buttons] = [
        await boxes("label"),
        await boxes("input:not([type=hidden]), select"),
        await boxes("button"),
      ];
      // All cells of one row are at one height.
      const rowCount = new Set(labels.map(({ top }) => top)).size;
      expect(rowCount).toBeLessThanOrEqual(2);
      expect(new Set(fields.map(({ top }) => top)).size).toBe(rowCount);
      expect(new Set(fields.map(({ bottom }) => bottom)).size).toBe(rowCount);
      expect(buttons.map(({ bottom, top }) => bottom - top)).toEqual(
        fields.slice(0, 1).map(({ bottom, top }) => bottom - top),
      );
    }
  });
});
