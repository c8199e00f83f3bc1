import { expect, test } from "vitest";
import { forFile } from "../support/for-file.ts";
import { pictureFolder, Uploader } from "../support/media.ts";
import { endlessExif, png, pngOfTexts } from "../support/pictures.ts";
import { refusalOf } from "../support/refusal.ts";
import { startService } from "../support/service.ts";

const { mediaStorage, remove } = await pictureFolder();
await forFile(Promise.resolve({ close: remove }));
const service = await forFile(startService("direct", { mediaStorage }));
const uploader = new Uploader(service, await service.createTenant());

test.each([
  ["decoding has no end", endlessExif],
  ["texts unpack to 2 GB", pngOfTexts],
])("a picture whose %s is given up, and the next one is taken", async (_what, made) => {
  const refusal = await refusalOf(uploader.upload(await made()));
  // On a busy machine the time of the call is over first.
  expect(["media_refused", "service_unavailable"]).toContain(refusal?.code);
  expect(refusal?.message).toMatch(/too much time or memory|took too long/);
  expect(await uploader.upload(await png())).toMatchObject({ width: 40 });
});
