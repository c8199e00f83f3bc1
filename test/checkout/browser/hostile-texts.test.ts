import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hasBrowser, startPages, type Pages } from "../../support/browser.ts";
import { times } from "../../support/scale.ts";
import { createMerchant, type Merchant } from "../../support/merchant.ts";
import { HOSTILE, HOSTILE_TEXTS } from "../../support/hostile-texts.ts";

const SHOWN = HOSTILE_TEXTS.filter((_, index) => index % times(1, 3) === 0);
const PARTS = ["description", "details", "product_ref"] as const;
const PLACES = [".product", ".details", ".summary p.quiet"] as const;

let pages: Pages;
let merchant: Merchant;

describe.skipIf(!hasBrowser)("hostile text", () => {
  beforeAll(async () => {
    pages = await startPages();
    merchant = await createMerchant(pages.service);
  });
  afterAll(async () => await pages.close());

  test(`of ${SHOWN.length} forms stays text: no dialog, no violation of the policy, nothing run`, async () => {
    const payer = await pages.newPage();
    const { page } = payer;
    await page.context().route(/^https:/, async (route) => await route.fulfill({ status: 204, body: "" }));
    await page.addInitScript(
      "addEventListener('securitypolicyviolation', (event) => console.error(`violation ${event.violatedDirective}`));",
    );
    for (let at = 0; at < SHOWN.length; at += PARTS.length) {
      const texts = SHOWN.slice(at, at + PARTS.length);
      const given = Object.fromEntries(texts.map((text, index) => [PARTS[index], text]));
      const link = await merchant.newLink({
        ...given,
        product_images: [
          ...texts,
          `https://x.example/${texts[0]}`,
          `https://x.example/a.png" onerror="alert(1)`,
        ],
        metadata: Object.fromEntries(texts.map((text, index) => [`k${index}`, text])),
        reference: texts[0]?.slice(0, 255),
      });
      await page.goto(`/pay/${link}`);
      for (const [index, text] of texts.entries()) {
        const shown = await page
          .locator(PLACES[index] ?? "")
          .first()
          .textContent();
        expect(shown?.trim()).toBe(`${index === 2 ? "Código: " : ""}${text}`.trim());
      }
      const title = await page.title();
      expect(title.trim()).toBe((texts[0] ?? "").replaceAll(/[\t\n\f\r ]+/g, " ").trim());
      const sources = await page
        .locator("img")
        .evaluateAll((images) => images.map((image) => String(image.getAttribute("src"))));
      for (const source of sources) expect(source).toMatch(/^https:\/\//);
      expect(await page.locator("script").count()).toBe(1);
    }
    expect(payer.complaints).toEqual([]);
  }, 90_000);

  test("typed by the payer stays text, too", async () => {
    const payer = await pages.newPage();
    await payer.open(
      await merchant.newLink({ payment_methods: ["pix"], collect_fields: ["phone", "address"] }),
    );
    for (const name of ["phone", "postal_code", "street", "city"]) await payer.page.fill(`#${name}`, HOSTILE);
    await payer.press();
    expect(await payer.page.inputValue("#street")).toBe(HOSTILE);
    expect(payer.complaints).toEqual([]);
  });
});
