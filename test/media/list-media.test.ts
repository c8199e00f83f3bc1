import { afterAll, expect, test } from "vitest";
import { forFile } from "../support/for-file.ts";
import { pictureFolder, Uploader } from "../support/media.ts";
import { png } from "../support/pictures.ts";
import { refusalOf } from "../support/refusal.ts";
import { startService } from "../support/service.ts";

const pictures = await pictureFolder();
afterAll(async () => await pictures.remove());
const service = await forFile(startService("direct", pictures));
const content = await png();

async function newUploader(): Promise<Uploader> {
  return new Uploader(service, await service.createTenant());
}

test("newest first, a page at a time, with what was uploaded", async () => {
  const uploader = await newUploader();
  const made = [];
  for (const name of ["a", "b", "c"]) made.unshift(await uploader.upload(content, name));
  const first = await uploader.client.listMedia({ limit: 2 }, uploader.as);
  expect(first).toMatchObject({ media: made.slice(0, 2), hasMore: true });
  const cursor = { limit: 2, startingAfter: first.media[1]?.id ?? "" };
  expect(await uploader.client.listMedia(cursor, uploader.as)).toMatchObject({
    media: made.slice(2),
    hasMore: false,
  });
});

test("nothing of another tenant or of the other mode", async () => {
  const [uploader, other] = [await newUploader(), await newUploader()];
  const { id } = await uploader.upload(content);
  const tenant = { id: uploader.as.headers["paylink-tenant"] ?? "" };
  for (const stranger of [other, new Uploader(service, tenant, "live")]) {
    expect(await stranger.client.listMedia({}, stranger.as)).toMatchObject({ media: [], hasMore: false });
    const hiding = refusalOf(stranger.client.hideMedia({ id }, stranger.as));
    expect(await hiding).toMatchObject({ status: "NotFound", code: "media_not_found" });
  }
});

test("a hidden one leaves the list and is still shown at its address", async () => {
  const uploader = await newUploader();
  const [kept, hidden] = [await uploader.upload(content, "kept"), await uploader.upload(content, "hidden")];
  for (let times = 0; times < 2; times++) await uploader.client.hideMedia({ id: hidden.id }, uploader.as);
  expect(await uploader.client.listMedia({}, uploader.as)).toMatchObject({ media: [kept] });
  const shown = await service.gateway.inject({ method: "GET", url: `/media/${hidden.id}.webp` });
  expect(shown.statusCode).toBe(200);
});

test.each(["nothing", "pl_01jzzzzzzzzzzzzzzzzzzzzzzz"])("%s is no cursor", async (startingAfter) => {
  const uploader = await newUploader();
  const failure = refusalOf(uploader.client.listMedia({ startingAfter }, uploader.as));
  expect(await failure).toMatchObject({ code: "invalid_request" });
});
