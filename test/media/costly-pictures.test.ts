import { expect, test } from "vitest";
import { forFile } from "../support/for-file.ts";
import { pictureFolder, Uploader } from "../support/media.ts";
import { endlessExif, png } from "../support/pictures.ts";
import { refusalOf } from "../support/refusal.ts";
import { startService } from "../support/service.ts";

const { mediaStorage, remove } = await pictureFolder();
await forFile(Promise.resolve({ close: remove }));
const service = await forFile(startService("direct", { mediaStorage }));
const uploaderOf = async () => new Uploader(service, await service.createTenant());

test("pictures whose decoding has no end are given up, and keep others waiting once", async () => {
  const senders = [await uploaderOf(), await uploaderOf()];
  const other = await uploaderOf();
  const content = await endlessExif();
  const send = async () =>
    await Promise.all(senders.map(async (sender) => await refusalOf(sender.upload(content))));
  // On a busy machine the time of the call is over first.
  for (const refusal of await send()) {
    expect(["media_refused", "service_unavailable"]).toContain(refusal?.code);
    expect(refusal?.message).toMatch(/takes too long to decode|took too long/);
  }
  let isOver = false;
  const again = send().finally(() => {
    isOver = true;
  });
  expect(await other.upload(await png())).toMatchObject({ width: 40 });
  expect(isOver).toBe(false);
  await again;
});
