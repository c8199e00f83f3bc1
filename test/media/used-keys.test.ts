import { readdir } from "node:fs/promises";
import { afterAll, expect, test } from "vitest";
import { Api } from "../support/api.ts";
import { forFile } from "../support/for-file.ts";
import { pictureFolder } from "../support/media.ts";
import { png } from "../support/pictures.ts";
import { secondService, startService } from "../support/service.ts";

const pictures = await pictureFolder();
afterAll(async () => await pictures.remove());
const service = await forFile(startService("direct", pictures));

test("an idempotency key that another process has used keeps no file, whatever it was used for", async () => {
  const { testKey } = await service.createTenant();
  const second = await secondService(service, pictures);
  const [first, other] = [new Api(service, testKey), new Api(second, testKey)];
  const quote = { amount: 15_990, currency: "BRL", payment_method: "pix" };
  const picture = { content: (await png()).toString("base64") };
  const keys = ["for-a-quote", "for-a-picture"].map((idempotencyKey) => ({ idempotencyKey }));
  expect((await first.post("/v1/quotes", quote, keys[0])).status).toBe(201);
  const made = await first.post("/v1/media", picture, keys[1]);
  const files = await readdir(pictures.folder);
  expect((await other.post("/v1/media", picture, keys[0])).status).toBe(409);
  expect((await other.post("/v1/media", picture, keys[1])).body).toEqual(made.body);
  expect(await readdir(pictures.folder)).toEqual(files);
  await second.close();
});
