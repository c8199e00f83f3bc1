import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { PayerPage, Pages } from "../support/browser.ts";
import { hasBrowser, startPages } from "../support/browser.ts";
import { consolePage, createUser } from "../support/console.ts";
import { createMerchant, type Merchant } from "../support/merchant.ts";

// Long journeys, with axe on the way: a machine that does much else takes its time.
const TEST_MS = 120_000;
const WAIT_MS = 30_000;
const PRESS_MS = 500;
// That of a checkbox or a badge beside it, of a line of 20; two lines have 40.
const LINE_PX = 38;
/** How high the text of each cell is. */
const TEXT_HEIGHTS = `[...document.querySelectorAll("#list tbody tr > *")].map((cell) => {
  const range = document.createRange();
  range.selectNodeContents(cell);
  const rects = [...range.getClientRects()].filter(({ width }) => width > 0);
  return Math.max(...rects.map(({ bottom }) => bottom)) - Math.min(...rects.map(({ top }) => top));
})`;
/** How far each amount's end is from that of its cell, whose padding is no part of it. */
const GAPS = `[...document.querySelectorAll("#list td.number")].map((cell) => {
  const range = document.createRange();
  range.selectNodeContents(cell);
  const { right } = cell.getBoundingClientRect();
  return right - Number.parseFloat(getComputedStyle(cell).paddingRight) - range.getBoundingClientRect().right;
})`;

describe.runIf(hasBrowser)("the pages of links and quotes in a browser", { timeout: TEST_MS }, () => {
  let pages: Pages;
  let merchant: Merchant;
  beforeAll(async () => {
    pages = await startPages();
    merchant = await createMerchant(pages.service, { payoutCurrency: "USD", maxInstallments: 6 });
  });
  afterAll(async () => await pages.close());

  const open = async (role: "owner" | "finance" | "viewer", options = {}): Promise<PayerPage> => {
    const user = await createUser(pages.service, merchant.tenant.id, role);
    const page = await consolePage(pages, user, options);
    page.page.setDefaultTimeout(WAIT_MS);
    return page;
  };

  test("prices follow what is typed; the link made is paid by its payer and its page shows it", async () => {
    const page = await open("finance");
    await page.goto("/console/test/links/new");
    await page.page.fill("#field-amount", "1.599,90");
    const shown = async (selector: string) =>
      await page.page.waitForSelector(`#prices ${selector}`, { state: "attached" });
    await shown("td:has-text('1.599,90')");
    await page.page.click("text=Mais opções");
    await page.page.check('input[value="card"]');
    await page.page.selectOption("#field-max_installments", "3");
    await shown("details:last-of-type tbody tr:nth-child(3):last-child");
    expect(await page.page.locator("#prices tbody tr").count()).toBe(4);
    await page.page.selectOption("#field-fee_handling", "pass_through");
    await shown("td:has-text('1.616')");
    await page.page.fill("#field-amount", "1,234");
    await page.page.waitForSelector("#prices .problem");
    await page.page.fill("#field-amount", "159,90");
    await shown("td:has-text('161,9')");
    // The page stays where it is, with what was typed.
    await page.page.click("text=Mais linhas");
    await page.page.waitForSelector("#metadata-key-4");
    await page.page.fill("#field-description", "Tênis azul");
    await shown(".payer strong:has-text('Tênis azul')");
    // Enter makes the link, and no other button of the form.
    await page.page.focus("#field-description");
    await Promise.all([page.page.waitForURL(/links\/pl_\w+\?done=made/), page.page.keyboard.press("Enter")]);
    expect(await page.heading()).toBe("Tênis azul");
    expect(await page.text()).toContain("Link criado");
    const address = await page.page.inputValue("#checkout-url");
    const id = address.split("/").at(-1) ?? "";
    const payer = await pages.newPage();
    payer.page.setDefaultTimeout(WAIT_MS);
    await payer.open(id);
    expect((await payer.text()).replaceAll(/\s+/g, " ")).toContain("161,9");
    await payer.page.check("#acknowledged_total");
    await payer.press();
    await payer.simulate("approve");
    await page.goto(`/console/test/links/${id}`);
    const text = await page.text();
    for (const part of ["Pago", "R$ 161,9", "payment.succeeded"]) expect(text).toContain(part);
    expect(await page.problems()).toEqual([]);
  });

  test("the list is searched while the user types, keeps its place in the address, and copies with one click", async () => {
    const reference = `agulha-${crypto.randomUUID()}`;
    const [first] = [
      await merchant.newLink({ reference }),
      await merchant.newLink({ reference: "palheiro" }),
    ];
    const page = await open("viewer");
    await page.page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await page.goto("/console/test/links");
    await page.page.fill("#field-query", reference.toUpperCase());
    await page.page.waitForSelector("#list tbody tr:only-child");
    expect(await page.page.innerText("#found")).toBe("1 link nesta página.");
    expect(page.page.url()).toContain("query=AGULHA");
    // The press takes the focus from the field. A hand presses for a while, in which the list must stay.
    await page.page.click("#list button.copy", { delay: PRESS_MS });
    await page.page.waitForSelector("#list button.copy:has-text('✓')");
    expect(await page.page.evaluate("navigator.clipboard.readText()")).toBe(`${pages.baseUrl}/pay/${first}`);
    await page.page.fill("#field-query", "nothing like it");
    await page.page.waitForSelector("#list .empty");
    expect(await page.problems()).toEqual([]);
  });

  test("a quote's time runs down on its page, and accepting it leads to its link", async () => {
    const page = await open("owner");
    await page.goto("/console/test/quotes/new?amount=100,00");
    await Promise.all([
      page.page.waitForURL(/quotes\/qt_\w+\?done=made/),
      page.page.click("#prices button[value='card-2']"),
    ]);
    const left = page.page.locator("[data-left]");
    await expect.poll(async () => await left.innerText(), { timeout: WAIT_MS }).toMatch(/^Faltam \d+:\d\d$/);
    expect(await page.heading()).toContain("Cartão de crédito 2x");
    expect(await page.problems()).toEqual([]);
    await page.page.fill("#field-name", "Aceita");
    await Promise.all([page.page.waitForURL(/links\/pl_\w+\?done=made/), page.page.keyboard.press("Enter")]);
    expect(await page.heading()).toBe("Aceita");
  });

  test("a list's rows are one line with the exact time on hover, and cards on a phone with amounts to the right", async () => {
    for (const amount of [1_000, 999_999_999])
      await merchant.newLink({ amount, description: "Mesa de jantar" });
    const page = await open("owner", { viewport: { width: 1280, height: 812 } });
    await page.goto("/console/test/links");
    const heights = await page.page.evaluate<number[]>(TEXT_HEIGHTS);
    expect(heights.length).toBeGreaterThanOrEqual(10);
    expect(Math.max(...heights)).toBeLessThan(LINE_PX);
    const [short = "", exact = ""] = await page.page
      .locator("#list tbody time")
      .first()
      .evaluate((one) => [one.textContent ?? "", one.getAttribute("title") ?? ""]);
    expect(short.trim()).toMatch(/^(?:\d\d\/\d\d às \d\d?h\d\d|\d\d? \S+ \d{4}, \d\d:\d\d)$/);
    expect(exact).toMatch(/20\d\d.*:\d\d/);
    await page.follow("#list tbody th a, #list tbody td a");
    expect(await page.text()).toContain(short.trim());
    await page.page.setViewportSize({ width: 375, height: 812 });
    await page.goto("/console/test/links");
    const gaps = await page.page.evaluate<number[]>(GAPS);
    expect(gaps.length).toBeGreaterThanOrEqual(2);
    expect(Math.max(...gaps.map(Math.abs))).toBeLessThan(2);
  });

  test("works without a script", async () => {
    const page = await open("owner", { javaScriptEnabled: false });
    await page.goto("/console/test/links/new");
    await page.page.fill("#field-amount", "159,90");
    await page.page.click("button[value='prices']");
    expect(await page.page.locator("#prices tbody tr").count()).toBeGreaterThan(1);
    await page.page.click("main button.primary");
    expect(page.page.url()).toContain("done=made");
    await page.goto("/console/test/links");
    await page.page.fill("#field-query", "nothing like it");
    await page.page.click(".filters button");
    expect(await page.page.locator("#list .empty").count()).toBe(1);
  });
});
