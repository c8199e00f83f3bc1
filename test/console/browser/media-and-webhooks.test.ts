import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { PayerPage } from "../../support/browser.ts";
import { hasBrowser, startPages, type Pages } from "../../support/browser.ts";
import { consolePage, createUser, type TestUser } from "../../support/console.ts";
import { pictureFolder } from "../../support/media.ts";
import { createMerchant, type Merchant } from "../../support/merchant.ts";
import { drawn } from "../../support/pictures.ts";
import { ok, startReceiver, verified, type Receiver } from "../../support/receiver.ts";

const PATIENCE = { timeout: 10_000 };
const PHONE = { viewport: { width: 320, height: 640 }, locale: "en" };

// Each looks at many pages with axe.
describe.runIf(hasBrowser)("in a browser", { timeout: 120_000 }, () => {
  let pages: Pages;
  let pictures: Awaited<ReturnType<typeof pictureFolder>>;
  let worker: { stop(): Promise<void> };
  let receiver: Receiver;
  let merchant: Merchant;
  let user: TestUser;
  beforeAll(async () => {
    pictures = await pictureFolder();
    const delivery = { schedule: [0], timeoutMs: 15_000 };
    pages = await startPages({ mediaStorage: pictures.mediaStorage, delivery });
    worker = pages.service.core.startWorker();
    receiver = await startReceiver();
    merchant = await createMerchant(pages.service);
    user = await createUser(pages.service, merchant.tenant.id, "developer");
  });
  afterAll(async () => {
    await worker.stop();
    await receiver.close();
    await pages.close();
    await pictures.remove();
  });

  async function upload(visitor: PayerPage, name: string): Promise<void> {
    const buffer = await drawn(64, 48).png().toBuffer();
    await visitor.page.setInputFiles("#field-content", { name, mimeType: "image/png", buffer });
    await visitor.follow("main form[enctype] button");
  }

  test.each([
    ["on a desk", { locale: "en" }],
    ["on a phone", PHONE],
    ["without script", { locale: "en", javaScriptEnabled: false }],
  ])("a picture is uploaded, seen, copied and hidden %s", async (where, options) => {
    const visitor = await consolePage(pages, user, options);
    const hasScript = where !== "without script";
    await visitor.goto("/console/test/media");
    if (hasScript) expect(await visitor.problems()).toEqual([]);
    await visitor.follow("main form[enctype] button");
    expect(await visitor.text()).toContain("Choose a file.");
    if (hasScript) expect(await visitor.problems()).toEqual([]);
    const name = `"shoe" <b> ${where}.png`;
    await upload(visitor, name);
    expect(await visitor.text()).toContain("Picture saved");
    const picture = visitor.page.locator("figure.picture", { hasText: where });
    expect(await picture.locator("input.code").inputValue()).toMatch(/\/media\/med_\w{26}\.webp$/);
    if (hasScript) {
      expect(await visitor.problems()).toEqual([]);
      await picture.locator("img").scrollIntoViewIfNeeded();
      const width = async () =>
        await visitor.page.evaluate("document.querySelector('figure img').naturalWidth");
      await expect.poll(width, PATIENCE).toBe(64);
      await picture.locator("[data-copy]").click();
      await expect
        .poll(async () => await picture.locator("[data-copy]").innerText(), PATIENCE)
        .toBe("Copied");
      visitor.page.removeAllListeners("dialog");
      visitor.page.once("dialog", (dialog) => void dialog.accept());
    }
    await Promise.all([visitor.page.waitForURL(/hidden=1/), picture.locator("form button").click()]);
    expect(await visitor.text()).toContain("left this list");
    expect(await visitor.page.locator("figure.picture", { hasText: where }).count()).toBe(0);
    expect(visitor.complaints).toEqual([]);
  });

  test.each([
    ["on a desk", { locale: "en" }],
    ["on a phone", PHONE],
  ])("an endpoint is made, tested, watched, rotated and deleted %s", async (where, options) => {
    const visitor = await consolePage(pages, user, options);
    const { page } = visitor;
    await visitor.goto("/console/test/webhooks");
    expect(await visitor.problems()).toEqual([]);
    await visitor.follow('main .actions a[href$="/webhooks/new"]');
    await page.fill("#field-url", "http://10.1.2.3/");
    await page.fill("#field-password", user.password);
    await visitor.press();
    expect(await visitor.text()).toContain("leads to the public internet");
    expect(await visitor.problems()).toEqual([]);
    const url = new URL(`/${where.replaceAll(" ", "-")}?a=<b>`, receiver.url).href;
    await page.fill("#field-url", url);
    await page.check('input[value="link.expired"]');
    await page.fill("#field-password", user.password);
    await visitor.press();
    const secret = await page.inputValue("#secret");
    expect(await visitor.problems()).toEqual([]);
    await visitor.follow(".secret-once a.button");
    expect(await visitor.problems()).toEqual([]);

    let release = (): void => undefined;
    receiver.answer((_received, response) => {
      release = () => void response.writeHead(200).end("<i>thanks</i>");
    });
    await visitor.follow('main .actions form[action$="/test"] button');
    expect(await visitor.text()).toContain("On its way");
    expect(await visitor.problems()).toEqual([]);
    const fits = ({ path }: { path: string }): boolean => url.endsWith(path);
    const [received] = await receiver.until(1, fits);
    receiver.answer(ok);
    release();
    // The page looks again by itself.
    await page.locator("#delivery .badge.good", { hasText: "200" }).waitFor();
    expect(await visitor.text()).toContain("<i>thanks</i>");
    expect(await visitor.problems()).toEqual([]);
    expect(received && verified(received, secret)).toMatchObject({ type: "webhook.test" });

    await visitor.goto("/console/test/webhooks/deliveries?type=webhook.test");
    expect(await visitor.problems()).toEqual([]);
    await page.locator('input[name="delivery"]').first().check();
    await visitor.follow("#resend button");
    expect(await visitor.text()).toContain("Deliveries on their way: 1.");
    await receiver.until(2, fits);

    const endpoint = `/console/test/webhooks/endpoints/${await idOf(url)}`;
    for (const what of ["edit", "enable", "rotate", "delete"]) {
      await visitor.goto(`${endpoint}/${what}`);
      expect(await visitor.problems()).toEqual([]);
    }
    await visitor.goto(`${endpoint}/rotate`);
    await page.fill("#field-password", user.password);
    await visitor.press();
    expect(await page.inputValue("#secret")).not.toBe(secret);
    await visitor.goto(`${endpoint}/delete`);
    await page.fill("#field-password", user.password);
    await visitor.follow("main section.card form button");
    expect(await visitor.text()).toContain("Endpoint deleted.");
    expect(visitor.complaints).toEqual([]);
  });

  async function idOf(url: string): Promise<string> {
    const { endpoints } = await merchant.webhooks.listWebhookEndpoints({}, merchant.as);
    return endpoints.find((one) => one.url === new URL(url).href)?.id ?? "";
  }
});
