import { afterAll, expect, test } from "vitest";
import { ConsoleClient, createUser } from "../support/console.ts";
import { pictureFolder, Uploader } from "../support/media.ts";
import { createMerchant } from "../support/merchant.ts";
import { png } from "../support/pictures.ts";
import { startService } from "../support/service.ts";
import { forFile } from "../support/for-file.ts";

const pictures = await pictureFolder();
afterAll(async () => await pictures.remove());
const service = await forFile(startService("direct", pictures));
const merchant = await createMerchant(service);
const by = new ConsoleClient(service, await createUser(service, merchant.tenant.id, "finance"));
let urls: string[];
test("where there is no picture, the form leads to where they are uploaded", async () => {
  const { body } = await by.get("/console/test/links/new");
  expect(body).toContain('<a href="/console/test/media">Imagens</a>');
});

test("a link is made with pictures that were picked and with one of elsewhere", async () => {
  const uploader = new Uploader(service, merchant.tenant);
  const content = await png();
  urls = [];
  for (const name of ["a", "b", "c"]) urls.push((await uploader.upload(content, name)).url);
  const page = "/console/test/links/new";
  const form = {
    payment_methods: "pix",
    product_images: [...urls.slice(0, 2), "https://shop.example/x.png"],
  };
  // What was picked stays picked when something else is wrong.
  const refused = await by.post(page, page, { ...form, amount: "" });
  expect(refused.statusCode).toBe(422);
  const boxes = [
    ...refused.body.matchAll(/type="checkbox"\s+name="product_images"\s+value="([^"]+)"\s*(checked)?/g),
  ];
  expect(boxes.map(([, url, checked]) => [url, checked])).toEqual([
    [urls[2], undefined],
    [urls[1], "checked"],
    [urls[0], "checked"],
  ]);
  expect(/<textarea[^>]*name="product_images"[^>]*>\s*([^<]*)<\/textarea>/.exec(refused.body)?.[1]).toBe(
    "https://shop.example/x.png",
  );
  const made = await by.post(page, page, { ...form, amount: "159,90" });
  const id = /(pl_\w{26})/.exec(String(made.headers.location))?.[1] ?? "";
  const { paymentLink } = await merchant.links.getPaymentLink({ id }, merchant.as);
  expect(paymentLink?.productImages).toEqual(form.product_images);
});

test("the form of a link takes a picture without being left, and keeps what was typed", async () => {
  const page = "/console/test/links/new";
  const form = { form_token: await by.formToken(page), amount: "77", description: "Fica" };
  const file = { name: "new.png", content: await png() };
  const { statusCode, body } = await by.upload(`${page}/picture`, form, {}, file);
  expect(statusCode).toBe(200);
  for (const value of ['value="77"', 'value="Fica"']) expect(body).toContain(value);
  expect(body).toMatch(/name="product_images"\s+value="[^"]+med_\w+\.webp"\s+checked/);
  expect(body).toMatch(/<section class="card payer"[^]*?<img src="[^"]+med_/);
  const none = await by.upload(`${page}/picture`, form);
  expect([none.statusCode, none.body.includes("Escolha um arquivo")]).toEqual([422, true]);
});

test("a quote is accepted with pictures that were picked", async () => {
  const { body } = await merchant.api.post("/v1/quotes", {
    amount: 10_000,
    currency: "BRL",
    payment_method: "pix",
  });
  const page = `/console/test/quotes/${body.id}`;
  const made = await by.post(page, `${page}/accept`, { name: "Shoes", media_urls: [urls[2] ?? "", ""] });
  const id = /(pl_\w{26})/.exec(String(made.headers.location))?.[1] ?? "";
  const { paymentLink } = await merchant.links.getPaymentLink({ id }, merchant.as);
  expect(paymentLink?.productImages).toEqual([urls[2]]);
});
