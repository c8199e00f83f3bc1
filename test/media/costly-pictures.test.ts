import { expect, test } from "vitest";
import { forFile } from "../support/for-file.ts";
import { pictureFolder, Uploader } from "../support/media.ts";
import { endlessExif, png } from "../support/pictures.ts";
import { refusalOf } from "../support/refusal.ts";
import { startService } from "../support/service.ts";

const { mediaStorage, remove } = await pictureFolder();
await forFile(Promise.resolve({ close: remove }));
const service = await forFile(startService("direct", { mediaStorage }));
const uploader = new Uploader(service, await service.createTenant());

test("a picture whose decoding has no end is given up, and the next one is taken", async () => {
  const refusal = await refusalOf(uploader.upload(await endlessExif()));
  // On a busy machine the time of the call is over first.
  expect(["media_refused", "service_unavailable"]).toContain(refusal?.code);
  expect(refusal?.message).toMatch(/takes too long to decode|took too long/);
  expect(await uploader.upload(await png())).toMatchObject({ width: 40 });
});
