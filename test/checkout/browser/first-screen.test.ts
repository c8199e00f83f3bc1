import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hasBrowser, startPages, type Pages, type PayerPage } from "../../support/browser.ts";
import { createMerchant, type Merchant } from "../../support/merchant.ts";

const PHONE = { viewport: { width: 375, height: 812 }, locale: "pt-BR" };
const LONG = {
  description: "Conjunto de mesa de jantar extensível com seis cadeiras estofadas em linho",
  details: "Entrega em até dez dias úteis na Grande São Paulo, com montagem incluída. ".repeat(6),
  product_ref: "MESA-JANTAR-EXT-6-LINHO-CRU",
};

/** Returns how many pages of paper a PDF has. */
function pageCount(paper: Buffer): number {
  return paper.toString("latin1").match(/\/Type\s*\/Page\b/g)?.length ?? 0;
}

let pages: Pages;
let merchant: Merchant;

describe.skipIf(!hasBrowser)("the first screen of a phone", () => {
  beforeAll(async () => {
    pages = await startPages();
    merchant = await createMerchant(pages.service);
  });
  afterAll(async () => await pages.close());

  /** Opens a link with much to say of its product. */
  const onLink = async (link: object, way?: "card"): Promise<PayerPage> => {
    const payer = await pages.newPage(PHONE);
    await payer.open(await merchant.newLink({ ...LONG, ...link }), way);
    return payer;
  };
  const isInSight = async ({ page }: PayerPage, selector: string): Promise<boolean> => {
    const box = await page.locator(selector).boundingBox();
    return box !== null && box.y >= 0 && box.y + box.height <= PHONE.viewport.height;
  };
  const focused = async ({ page }: PayerPage): Promise<unknown> =>
    await page.evaluate("document.activeElement.id");
  const isOneLine = async ({ page }: PayerPage, selector: string): Promise<boolean> =>
    Number((await page.locator(selector).boundingBox())?.height) < 60;

  test("has the Pix code and its button, which comes first; the product is one line that opens", async () => {
    const payer = await onLink({ payment_methods: ["pix"] });
    for (const selector of ["h1", "[data-copy]", ".qr"]) expect(await isInSight(payer, selector)).toBe(true);
    await expect.poll(() => focused(payer)).toBe("title");
    expect(await isOneLine(payer, ".summary")).toBe(true);
    expect(await isOneLine(payer, ".test")).toBe(true);
    const top = async (selector: string) => (await payer.page.locator(selector).boundingBox())?.y ?? 0;
    expect(await top("[data-copy]")).toBeLessThan(await top(".qr"));
    expect(await payer.page.isVisible("#pix_code")).toBe(false);
    expect(await payer.problems()).toEqual([]);
    await payer.page.click(".summary > summary");
    expect(await payer.text()).toContain(LONG.product_ref);
    expect(await payer.problems()).toEqual([]);
  });

  test("has what became of the payment", async () => {
    const payer = await onLink({ payment_methods: ["pix"] });
    await payer.simulate("approve");
    expect(await isInSight(payer, ".state.good")).toBe(true);
    await expect.poll(() => focused(payer)).toBe("title");
    expect(await payer.problems()).toEqual([]);
    // The receipt is printed on one page of paper.
    expect(pageCount(await payer.page.pdf({ format: "A4" }))).toBe(1);
  });

  test.each([
    ["where the phone shares nothing", "delete Navigator.prototype.share", "Endereço copiado"],
    [
      "where sharing fails",
      "navigator.share = () => Promise.reject(new TypeError('refused'))",
      "Endereço copiado",
    ],
    [
      "unless the payer calls it off",
      `navigator.share = () => Promise.reject(new DOMException("", "AbortError"))`,
      "",
    ],
  ])("has a receipt whose address is copied %s, and that is printed on one page", async (_, script, said) => {
    const payer = await onLink({ payment_methods: ["pix"] });
    const { page } = payer;
    await page.addInitScript(`${script}; window.print = () => (document.title = "printing")`);
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await page.evaluate("navigator.clipboard.writeText('nothing')");
    await payer.simulate("approve");
    await page.click("[data-share]");
    const copied = async () => await page.evaluate("navigator.clipboard.readText()");
    if (said === "") await page.evaluate("new Promise(requestAnimationFrame)");
    else await payer.shows(said);
    expect(await copied()).toBe(said === "" ? "nothing" : page.url());
    await page.click("[data-print]");
    expect(await page.title()).toBe("printing");
    // Its page of paper has all that was paid, and none of the buttons.
    expect(pageCount(await page.pdf({ format: "A4" }))).toBe(1);
    await page.emulateMedia({ media: "print" });
    expect(await page.isVisible("dd[data-total]")).toBe(true);
    expect(await page.isVisible("[data-print]")).toBe(false);
  });

  test("has what is wrong in a form", async () => {
    const payer = await onLink({ payment_methods: ["pix"], collect_fields: ["phone", "address"] });
    await payer.press();
    expect(await isInSight(payer, "#problems p")).toBe(true);
    await expect.poll(() => focused(payer)).toBe("problems");
  });

  test("of the link has its button where much is said of the product, which unfolds", async () => {
    const payer = await pages.newPage(PHONE);
    await payer.goto(`/pay/${await merchant.newLink({ ...LONG, amount: 999_999_999 })}`);
    expect(await isInSight(payer, "button.primary")).toBe(true);
    expect(await payer.page.isVisible(".details")).toBe(false);
    await payer.page.click(".summary .fold > summary");
    expect(await payer.text()).toContain(LONG.details.trim());
    expect(await payer.problems()).toEqual([]);
  });

  test("of the link has its button, and a card is one row until it is opened", async () => {
    const payer = await pages.newPage(PHONE);
    const { description } = LONG;
    const link = await merchant.newLink({ description, details: "Com montagem incluída.", amount: 42_685 });
    await payer.goto(`/pay/${link}`);
    expect(await isInSight(payer, "button.primary")).toBe(true);
    await payer.follow('button[value="card"]');
    expect(await payer.problems()).toEqual([]);
    const address = payer.page.url();
    await payer.choose("card-12");
    expect(await payer.text()).toContain("1ª de R$ 35,58, demais de R$ 35,57");
    await payer.goto(address.replace("choose=card", "choose=1"));
    expect(await payer.page.locator(".price:visible").count()).toBe(1);
    expect(await payer.problems()).toEqual([]);
  });

  test("in test mode takes a test card typed as at a provider, and no other card", async () => {
    const payer = await onLink({ payment_methods: ["card"], max_installments: 1 });
    await payer.page.fill("#card_number", "4242 4242 4242 4242");
    const sent: string[] = [];
    payer.page.on("request", (request) => sent.push(request.postData() ?? request.url()));
    await payer.page.click("button.primary");
    await payer.shows("Este não é um cartão de teste.");
    expect(sent).toEqual([]);
    await payer.page.fill("#card_number", "");
    await payer.page.locator("#card_number").pressSequentially("4000000000001000");
    expect(await payer.page.inputValue("#card_number")).toBe("4000 0000 0000 1000");
    await payer.press();
    expect(await payer.heading()).toBe("Pagamento confirmado");
    expect(sent.join(" ")).not.toMatch(/4000|4242/);
  });
});
