import { parse } from "csv-parse/sync";
import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { insertPayments, randomPayments } from "../support/bulk-payments.ts";
import { hasBrowser, startPages, type Pages, type PayerPage } from "../support/browser.ts";
import { consolePage, createUser, type TestUser } from "../support/console.ts";
import { DatabaseRows } from "../support/database-rows.ts";
import { createMerchant, type Merchant } from "../support/merchant.ts";

const DAY = "2026-03-02";
const [START, END] = [new Date("2026-03-02T03:00:00Z"), new Date("2026-03-03T03:00:00Z")];
const COUNT = 60;

// It succeeds after its day is closed.
const WATCHED = {
  reference: "order-1042",
  metadata: { "<b>": "=1+1" },
  status: "failed",
  failureCode: "payment_declined",
} as const;

describe.runIf(hasBrowser)("in a browser", () => {
  let pages: Pages;
  let rows: DatabaseRows;
  let merchant: Merchant;
  let finance: TestUser;
  let viewer: TestUser;
  beforeAll(async () => {
    pages = await startPages();
    rows = await new DatabaseRows(pages.service.databaseUrl).open();
    merchant = await createMerchant(pages.service);
    [finance, viewer] = [
      await createUser(pages.service, merchant.tenant.id, "finance"),
      await createUser(pages.service, merchant.tenant.id, "viewer"),
    ];
    const payments = randomPayments(COUNT, START, END).map((payment, index) =>
      index === 0 ? { ...payment, ...WATCHED } : payment,
    );
    await insertPayments(rows, merchant.tenant.id, payments);
  });
  afterAll(async () => {
    await rows.close();
    await pages.close();
  });

  async function download(page: PayerPage, text: string): Promise<Buffer> {
    const [file] = await Promise.all([
      page.page.waitForEvent("download"),
      page.page.getByRole("link", { name: text }).click(),
    ]);
    return await readFile(await file.path());
  }

  test("finance searches as they type, exports with its progress, closes the day and sees it verified", async () => {
    const page = await consolePage(pages, finance, { locale: "en-US" });
    await page.goto(`/console/test/payments?from=${DAY}&to=${DAY}`);
    expect(await page.text()).toContain(`${COUNT} payments`);
    await page.page.fill("#field-q", "ORDER-10");
    await page.page.getByRole("status").filter({ hasText: "1 payment" }).waitFor();
    expect(await page.page.locator("#list").innerText()).toContain("order-1042");

    await page.goto(`/console/test/payments?from=${DAY}&to=${DAY}`);
    await page.follow('.heading a[href*="/export"]');
    const csv = await download(page, "Download exact CSV");
    expect(parse(csv, { bom: true })).toHaveLength(COUNT + 1);
    await page.page.getByText(`Done: ${COUNT} rows.`).waitFor();

    await page.goto("/console/test/close?month=2026-03");
    const questions: string[] = [];
    page.page.removeAllListeners("dialog");
    page.page.once("dialog", (dialog) => {
      questions.push(dialog.message());
      void dialog.accept();
    });
    await page.follow(`form[action$="/${DAY}/seal"] button`);
    expect(questions).toEqual([expect.stringContaining("This cannot be undone: the day does not reopen")]);
    expect(await page.text()).toContain("The day is closed.");
    // Comes by itself, after the rest.
    await page.page.getByText("exactly what was closed").waitFor();
    const { seal } = await merchant.ledger.getSeal({ day: DAY }, merchant.as);
    expect(await page.page.inputValue("#seal-hash")).toBe(seal?.rowsSha256);
    expect(await page.text()).toContain(finance.name);
    const sealed = await download(page, "Download JSON Lines");
    expect(BigInt(sealed.length)).toBe(seal?.byteCount);

    await rows.run(
      `UPDATE test.payment SET status = 'succeeded', failure_code = NULL, updated_at = '2026-11-20T12:00:00Z'
        WHERE tenant_id = $1 AND reference = 'order-1042'`,
      [merchant.tenant.id],
    );
    await page.goto(`/console/test/close/${DAY}`);
    await page.page.getByRole("heading", { name: "Changed since the close" }).waitFor();
    expect(await page.text()).toContain("Status: ");
    const technical = page.page.locator("td details");
    expect(await technical.getByText("updated_at", { exact: true }).isVisible()).toBe(false);
    await technical.getByText("Technical details").click();
    expect(await technical.getByText("updated_at", { exact: true }).isVisible()).toBe(true);
    expect(await page.problems()).toEqual([]);
  });

  test("a viewer sees payments and seals, and neither exports nor closes", async () => {
    const page = await consolePage(pages, viewer);
    await page.goto(`/console/test/payments?from=${DAY}&to=${DAY}`);
    expect(await page.page.locator('a[href*="export"]').count()).toBe(0);
    await page.goto("/console/test/close?month=2026-03");
    expect(await page.page.locator('form[action$="/seal"]').count()).toBe(0);
    await page.goto(`/console/test/close/${DAY}`);
    expect(await page.page.locator("[data-download], a[download]").count()).toBe(0);
  });

  test("an export that breaks off shows it and saves nothing", async () => {
    const broken = await createMerchant(pages.service);
    const user = await createUser(pages.service, broken.tenant.id, "finance");
    const [oldest, ...others] = randomPayments(250, START, END).toSorted(
      (a, b) => a.createdAt.getTime() - b.createdAt.getTime(),
    );
    if (!oldest) throw new Error("no payment");
    // An amount that JSON cannot hold exactly is refused by the API's writer.
    const price = { ...oldest.price, payerTotalMinor: 2n ** 60n };
    await insertPayments(rows, broken.tenant.id, [{ ...oldest, price }, ...others]);
    const page = await consolePage(pages, user, { locale: "en-US" });
    await page.goto(`/console/test/payments/export?from=${DAY}&to=${DAY}`);
    await page.page.getByRole("link", { name: "Download exact CSV" }).click();
    await page.page.getByText("The export broke off. Nothing was saved: try again.").waitFor();
  });

  test("everything works without a script", async () => {
    const page = await consolePage(pages, finance, { javaScriptEnabled: false, locale: "en-US" });
    await page.goto(`/console/test/payments?from=${DAY}&to=${DAY}`);
    await page.page.fill("#field-q", "order-1042");
    await page.follow("form.filters button");
    expect(await page.text()).toContain("1 payment");
    await page.follow('.heading a[href*="/export"]');
    const lines = (await download(page, "Download JSON Lines")).toString().split("\n");
    expect(lines).toHaveLength(2);
    await page.goto("/console/test/close/2026-03-03");
    await page.follow('form[action$="/seal"] button');
    expect(await page.text()).toContain("The day is closed.");
    expect(await page.text()).not.toContain("exactly what was closed");
    await page.follow('#verification a:has-text("Verify now")');
    expect(await page.text()).toContain("exactly what was closed");
    expect(await page.text()).toContain("Nothing has changed since the close.");
    expect(await page.page.locator("#seal-hash").count()).toBe(1);
  });

  test("a verification that fails leaves the page and the way to ask again", async () => {
    await merchant.ledger.sealDay({ day: DAY }, merchant.as);
    const page = await consolePage(pages, finance, { locale: "en-US" });
    await page.page.route(/verification$/, (route) => route.fulfill({ status: 503, body: "<p>late</p>" }));
    const [answer] = await Promise.all([
      page.page.waitForResponse(/verification$/),
      page.goto(`/console/test/close/${DAY}`),
    ]);
    await answer.finished();
    await page.page.locator(".htmx-request").waitFor({ state: "detached" });
    expect(await page.page.getByRole("link", { name: "Verify now" }).isVisible()).toBe(true);
    expect(await page.text()).not.toContain("late");
  });
});
