import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hasBrowser, startPages, type Pages, type PayerPage } from "../support/browser.ts";
import { consolePage, createUser, type TestUser } from "../support/console.ts";
import { Books, ofx, type BankRow } from "../reconciliation/books.ts";

const PATH = "/console/test/reconciliation";
const DESK = { locale: "en" };
const PHONE = { viewport: { width: 320, height: 640 }, locale: "en" };

// Each looks at many pages with axe.
describe.runIf(hasBrowser)("in a browser", { timeout: 120_000 }, () => {
  let pages: Pages;
  let books: Books;
  let bankAccountId: string;
  let finance: TestUser;
  let day: string;
  let rows: BankRow[];
  beforeAll(async () => {
    pages = await startPages();
    books = await Books.of(pages.service);
    bankAccountId = await books.sandboxBank();
    day = books.nextDay();
    await books.pay(10_000);
    books.nextDay();
    books.nextDay();
    await books.work();
    const [line] = await books.statementLines();
    rows = [
      [day, 9_863n, `PIX RECEBIDO ${line?.reference ?? ""}`, "fit-1"],
      [books.today(), 1n, "RENDIMENTO", "fit-2"],
    ];
    // A session does not last for those days.
    finance = await createUser(pages.service, books.merchant.tenant.id, "finance");
  });
  afterAll(async () => await pages.close());

  const well = async (visitor: PayerPage) => expect(await visitor.problems()).toEqual([]);
  const bankFile = (content: string) => ({
    name: "extrato.ofx",
    mimeType: "application/x-ofx",
    buffer: Buffer.from(content),
  });

  async function imports(visitor: PayerPage, content: string): Promise<void> {
    await visitor.goto(`${PATH}/accounts/${bankAccountId}/import`);
    await visitor.page.setInputFiles("#field-content", bankFile(content));
  }

  test("a file is shown as it is chosen, and imported with the same file", async () => {
    const visitor = await consolePage(pages, finance, PHONE);
    await imports(visitor, ofx(rows));
    await visitor.page.waitForSelector("#preview table");
    await well(visitor);
    expect(await visitor.text()).toContain("New lines");
    expect(await books.bankLines(bankAccountId)).toEqual([]);
    await visitor.follow("#preview button.primary");
    expect(await visitor.text()).toContain("Imported: 2 new lines. Known before: 0.");
    await well(visitor);
    await books.work();

    await imports(visitor, ofx(rows).replace("<TRNAMT>98.63", "<TRNAMT>98,6x"));
    await visitor.page.waitForSelector("#preview .problem");
    expect(await visitor.page.locator("#preview button.primary").count()).toBe(0);
    await well(visitor);
  });

  test("a file is dropped on the form", async () => {
    const visitor = await consolePage(pages, finance, DESK);
    await visitor.goto(`${PATH}/accounts/${bankAccountId}/import`);
    await visitor.page.evaluate(`{
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File([${JSON.stringify(ofx(rows))}], "solto.ofx"));
      const drop = new DragEvent("drop", { dataTransfer, bubbles: true, cancelable: true });
      document.querySelector("#field-content").dispatchEvent(drop);
    }`);
    await visitor.page.waitForSelector("#preview table");
    expect(await visitor.text()).toContain("solto.ofx");
    await well(visitor);
  });

  test("without a script a file is shown, and imported when it is chosen again", async () => {
    const visitor = await consolePage(pages, finance, { javaScriptEnabled: false, ...DESK });
    const more = ofx([...rows, [books.today(), 2n, "RENDIMENTO", "fit-3"]]);
    await imports(visitor, more);
    await visitor.follow("#import button.primary");
    expect(await visitor.text()).toContain("choose the same file again");
    await visitor.page.setInputFiles("#field-content", bankFile(more));
    await visitor.follow("#preview button.primary");
    expect(await visitor.text()).toContain("Imported: 1 new lines. Known before: 2.");
  });

  test.each([
    ["on a desk", DESK],
    ["on a phone", PHONE],
  ])("from R$ 1.37 less at the bank to its line in at most four presses from home %s", async (_, options) => {
    const visitor = await consolePage(pages, finance, options);
    await visitor.goto("/console/test");
    let presses = 0;
    const press = async (selector: string) => {
      presses++;
      await visitor.follow(selector);
    };
    if (options === PHONE) {
      presses++;
      await visitor.page.click(".sections summary");
    }
    await press('.sections a[href$="/reconciliation"]');
    await well(visitor);
    await press("main .note a");
    await well(visitor);
    const text = await visitor.text();
    expect(text).toContain("The bank shows R$1.37 less than the statement");
    expect(text).toContain("R$98.63");
    expect(presses).toBeLessThanOrEqual(4);
  });

  test("finance explains what differs, and undoes it", async () => {
    const visitor = await consolePage(pages, finance, PHONE);
    await visitor.goto(`${PATH}/days/${day}`);
    await visitor.page.fill("input[name^=reason]", "the bank's fee of R$ 1.37");
    await visitor.follow("main form button.primary");
    expect(await visitor.text()).toContain("Check at least one line.");
    await well(visitor);
    await visitor.page.check('input[name="lines"]');
    await visitor.follow("main form button.primary");
    expect(await visitor.text()).toContain("R$1.37 explained: the bank's fee of R$ 1.37");
    expect(await visitor.text()).toContain("Nothing differs.");
    await well(visitor);
    await visitor.goto(`${PATH}?month=${day.slice(0, 7)}`);
    expect(await visitor.text()).toContain("explained");
    await well(visitor);
    await visitor.goto(`${PATH}/days/${day}`);
    visitor.page.removeAllListeners("dialog");
    visitor.page.once("dialog", (dialog) => void dialog.accept());
    await visitor.follow(".difference form button");
    expect(await visitor.text()).toContain("The bank shows R$1.37 less than the statement");
  });

  test.each([
    ["on a desk", DESK],
    ["on a phone", PHONE],
  ])("every page of the room is accessible %s", async (_, options) => {
    const { matches } = await books.client.listMatches({ limit: 1 }, books.as);
    for (const locale of ["en", "pt-BR"]) {
      const visitor = await consolePage(pages, finance, { ...options, locale });
      for (const path of [
        "/accounts",
        "/accounts/new",
        `/accounts/${bankAccountId}/edit`,
        `/accounts/${bankAccountId}/import`,
        "/lines",
        "/lines?amount=1,2,3&account=",
        "/statements",
        "/matches",
        `/matches/${matches[0]?.id ?? ""}`,
        "/fees/sandbox",
        "/days/2026-01-01",
      ]) {
        await visitor.goto(`${PATH}${path}`);
        expect(visitor.page.url()).toContain(`${PATH}${path.split("?")[0] ?? ""}`);
        expect([path, locale, await visitor.problems()]).toEqual([path, locale, []]);
      }
    }
  });
});
