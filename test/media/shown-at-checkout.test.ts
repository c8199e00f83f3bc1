import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Api } from "../support/api.ts";
import { hasBrowser, startPages, type Pages } from "../support/browser.ts";
import { pictureFolder, Uploader } from "../support/media.ts";
import { drawn } from "../support/pictures.ts";
import type { TestTenant } from "../support/service.ts";

describe.runIf(hasBrowser)("a picture that was uploaded", () => {
  let pages: Pages;
  let pictures: Awaited<ReturnType<typeof pictureFolder>>;
  let tenant: TestTenant;
  beforeAll(async () => {
    pictures = await pictureFolder();
    pages = await startPages({ mediaStorage: pictures.mediaStorage });
    tenant = await pages.service.createTenant();
  });
  afterAll(async () => {
    await pages.close();
    await pictures.remove();
  });

  test("is taken by accept's media_urls, and the payer sees it", async () => {
    const uploader = new Uploader(pages.service, tenant);
    const { url } = await uploader.upload(await drawn(64, 48).png().toBuffer());
    expect(url.startsWith(`${pages.baseUrl}/media/med_`)).toBe(true);
    const api = new Api(pages.service, tenant.testKey);
    const quote = { amount: 15_990, currency: "BRL", payment_method: "pix" };
    const { body } = await api.post("/v1/quotes", quote);
    const accepted = await api.post(`/v1/quotes/${body.id}/accept`, { name: "Shoes", media_urls: [url] });
    expect(accepted.status).toBe(201);
    const page = await pages.newPage();
    // Over http a page shows our own pictures alone.
    await page.goto(`/pay/${accepted.body.id}`);
    const picture = page.page.locator(".pictures img");
    expect(await picture.getAttribute("src")).toBe(url);
    const width = async () =>
      await page.page.evaluate("document.querySelector('.pictures img').naturalWidth");
    await expect.poll(width, { timeout: 10_000 }).toBe(64);
    expect(await page.problems()).toEqual([]);
  });

  test("is the only kind of picture that a page without TLS shows, besides those over https", async () => {
    const { host } = new URL(pages.baseUrl);
    const product_images = [
      `http://${host}/v1/payments`,
      `http://other.example/media/a.webp`,
      `http://${host}/media/med_x.webp`,
      "https://shop.example/a.png",
      "javascript:alert(1)",
    ];
    const api = new Api(pages.service, tenant.testKey);
    const { body } = await api.post("/v1/payment_links", { amount: 1000, currency: "BRL", product_images });
    const { body: html } = await pages.service.gateway.inject({
      method: "GET",
      url: `/pay/${body.id}`,
      headers: { host },
    });
    const shown = [...html.matchAll(/<img src="([^"]+)"/g)].map(([, source]) => source);
    expect(shown).toEqual([`http://${host}/media/med_x.webp`, "https://shop.example/a.png"]);
  });
});
