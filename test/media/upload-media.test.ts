import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import sharp from "sharp";
import { afterAll, describe, expect, test } from "vitest";
import { DatabaseRows } from "../support/database-rows.ts";
import { forFile } from "../support/for-file.ts";
import { DEFAULT_QUOTAS } from "../../src/platform/config/limits-config.ts";
import { pictureFolder, Uploader } from "../support/media.ts";
import { drawn, png, pngSaying, seen } from "../support/pictures.ts";
import { codeOf, refusalOf } from "../support/refusal.ts";
import { secondService, startService } from "../support/service.ts";

const pictures = await pictureFolder();
afterAll(async () => await pictures.remove());
const service = await forFile(startService("direct", pictures));
const uploader = new Uploader(service, await service.createTenant());

async function kept(id: string): Promise<Buffer> {
  return await readFile(join(pictures.folder, `${id}.webp`));
}

describe("a picture is kept as WebP", () => {
  test.each([
    ["PNG", async () => await drawn(60, 40).png().toBuffer()],
    ["JPEG", async () => await drawn(60, 40).jpeg().toBuffer()],
    ["WebP", async () => await drawn(60, 40).webp().toBuffer()],
  ])("when it comes as %s, whatever it is called", async (_kind, make) => {
    const media = await uploader.upload(await make(), "evil.svg");
    expect(media).toMatchObject({ name: "evil.svg", width: 60, height: 40 });
    const bytes = await kept(media.id);
    expect(await seen(bytes)).toMatchObject({
      format: "webp",
      width: 60,
      height: 40,
      first: "100",
      last: "001",
    });
    expect(media.byteCount).toBe(bytes.length);
    expect(media.url).toBe(`https://media.example.test/files/${media.id}.webp`);
  });

  test("and made to fit 1600 by 1600 pixels, never made larger", async () => {
    const large = await uploader.upload(await drawn(3200, 100).png().toBuffer());
    expect(large).toMatchObject({ width: 1600, height: 50 });
    expect(await seen(await kept(large.id))).toMatchObject({ width: 1600, height: 50 });
  });

  test("upright, by the orientation in its EXIF data", async () => {
    const held = await drawn(60, 40).jpeg().withMetadata({ orientation: 6 }).toBuffer();
    const media = await uploader.upload(held);
    expect(media).toMatchObject({ width: 40, height: 60 });
    // Its left half came to lie on top.
    expect(await seen(await kept(media.id))).toMatchObject({
      first: "100",
      last: "001",
      beside: { orientation: undefined },
    });
  });

  test("without anything that the file held beside its pixels", async () => {
    const exif = {
      IFD0: { Copyright: "canary-owner" },
      IFD3: { GPSLatitudeRef: "S", GPSLatitude: "23/1 33/1 1/1" },
    };
    const content = await drawn(60, 40).jpeg().withExif(exif).withXmp("<x>canary-xmp</x>").toBuffer();
    expect(content.includes("canary-owner")).toBe(true);
    expect(content.includes("canary-xmp")).toBe(true);
    const { id } = await uploader.upload(content);
    const bytes = await kept(id);
    expect((await seen(bytes)).beside).toEqual({
      exif: undefined,
      icc: undefined,
      xmp: undefined,
      orientation: undefined,
    });
    expect(bytes.includes("canary")).toBe(false);
  });

  test("without what follows its end, as in a file that is a page too", async () => {
    const content = Buffer.concat([
      await png(),
      Buffer.from("<html><script>alert('canary')</script></html>"),
    ]);
    const { id } = await uploader.upload(content, "page.html");
    expect((await kept(id)).includes("canary")).toBe(false);
  });

  test("of an animation its first frame", async () => {
    const frames = [await png(20, 20), await drawn(20, 20).negate().png().toBuffer()];
    const content = await sharp(frames, { join: { animated: true } })
      .webp({ delay: [100, 100] })
      .toBuffer();
    expect(await sharp(content).metadata()).toMatchObject({ pages: 2 });
    const { id, height } = await uploader.upload(content);
    expect(height).toBe(20);
    const bytes = await kept(id);
    expect((await sharp(bytes).metadata()).pages).toBeUndefined();
    expect(await seen(bytes)).toMatchObject({ first: "100", last: "001" });
  });

  test("in a folder and files that this user alone can read, with no draft left", async () => {
    const { id } = await uploader.upload(await png());
    expect((await stat(pictures.folder)).mode & 0o777).toBe(0o700);
    expect((await stat(join(pictures.folder, `${id}.webp`))).mode & 0o777).toBe(0o600);
    expect((await readdir(pictures.folder)).filter((name) => !/^med_\w{26}\.webp$/.test(name))).toEqual([]);
  });
});

describe("media_refused", () => {
  const script = "<script>alert(1)</script>";
  test.each([
    ["SVG", Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9">${script}</svg>`)],
    ["GIF", Buffer.from("R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7", "base64")],
    ["a page", Buffer.from(`<!doctype html>${script}`)],
    ["a script that begins as a GIF", Buffer.from("GIF89a/*.............*/=1;alert(1)")],
    ["a PDF", Buffer.from("%PDF-1.4\n1 0 obj<<>>endobj\ntrailer<<>>")],
    ["TIFF", Buffer.from("49492a0008000000000000000000", "hex")],
    ["an archive", Buffer.from("504b0304140000000000", "hex")],
    ["the first bytes of a PNG", Buffer.from("89504e470d0a1a0a", "hex")],
    ["one byte", Buffer.from([0])],
  ])("when it is %s", async (_kind, content) => {
    const failure = await refusalOf(uploader.client.uploadMedia({ content, name: "x.png" }, uploader.as));
    expect(failure).toMatchObject({ status: "InvalidArgument", code: "media_refused" });
    expect(failure?.message).toContain("not a whole PNG, JPEG or WebP picture: send one of these.");
  });

  test.each([
    ["PNG", async () => await drawn(200, 200).png().toBuffer()],
    ["JPEG", async () => await drawn(200, 200).jpeg().toBuffer()],
    ["WebP", async () => await drawn(200, 200).webp().toBuffer()],
  ])("when a %s ends before its time", async (_kind, make) => {
    const content = await make();
    const failure = await refusalOf(uploader.upload(content.subarray(0, content.length / 2)));
    expect(failure).toMatchObject({ code: "media_refused" });
    expect(failure?.message).toMatch(/damaged|not a whole/);
  });

  test("when its header claims more than 25 megapixels, without decoding them", async () => {
    const before = process.memoryUsage().rss;
    const failure = await refusalOf(uploader.upload(pngSaying(60_000, 60_000, Buffer.alloc(100))));
    expect(failure?.message).toContain("60000 by 60000 pixels: send one of at most 25 megapixels.");
    expect(process.memoryUsage().rss - before).toBeLessThan(200_000_000);
  });

  test.each([
    [12_001, 1],
    [1, 12_001],
  ])("when it says that it has %i by %i pixels, a side too many", async (width, height) => {
    const failure = await refusalOf(uploader.upload(pngSaying(width, height, Buffer.alloc(100))));
    expect(failure?.message).toContain(
      `${width} by ${height} pixels: send one of at most 12000 on each side.`,
    );
  });

  test("leaves neither row nor file", async () => {
    const rows = await new DatabaseRows(service.databaseUrl).open();
    const [files, count] = [await readdir(pictures.folder), await rows.count("test.media", [])];
    expect(await codeOf(uploader.upload(Buffer.from("nothing")))).toBe("media_refused");
    expect(await readdir(pictures.folder)).toEqual(files);
    expect(await rows.count("test.media", [])).toBe(count);
    expect(count).toBe(files.length);
    await rows.close();
  });
});

test("a small picture whose pixels unpack to far more than it needs costs no memory", async () => {
  const before = process.memoryUsage().rss;
  const content = pngSaying(16, 16, Buffer.alloc(200_000_000));
  const made = await uploader.upload(content).then(
    ({ width }) => width,
    async (error: unknown) => await codeOf(Promise.reject(error)),
  );
  expect([16, "media_refused"]).toContain(made);
  expect(process.memoryUsage().rss - before).toBeLessThan(450_000_000);
});

describe("quota_exceeded", () => {
  const size = async () => (await uploader.upload(await png())).byteCount;

  test.each([
    ["as many pictures", async () => ({ pictures: 2 }), "at most 2 pictures and 2048 MB"],
    ["as many bytes", async () => ({ pictureBytes: 2 * (await size()) }), "at most 5000 pictures and 0 MB"],
  ])("when the tenant has %s as it may, hidden ones too", async (_what, quotas, message) => {
    const settings = { ...pictures, quotas: { ...DEFAULT_QUOTAS, ...(await quotas()) } };
    const limited = await secondService(service, settings);
    const on = { ...service, core: limited.core };
    const tenant = await service.createTenant();
    const by = new Uploader(on, tenant);
    const [{ id }] = [await by.upload(await png()), await by.upload(await png())];
    await by.client.hideMedia({ id }, by.as);
    const failure = await refusalOf(by.upload(await png()));
    expect(failure).toMatchObject({ status: "ResourceExhausted", code: "quota_exceeded" });
    expect(failure?.message).toContain(message);
    await new Uploader(on, tenant, "live").upload(await png());
    await new Uploader(on, await service.createTenant()).upload(await png());
    await limited.close();
  });
});

describe("invalid_request", () => {
  test.each([
    ["content", { content: new Uint8Array(), name: "x" }],
    ["content", { content: new Uint8Array(3 * 1024 * 1024 + 1), name: "x" }],
    ["name", { content: new Uint8Array(1), name: "x".repeat(201) }],
    ["name", { content: new Uint8Array(1), name: "a\nb" }],
    ["name", { content: new Uint8Array(1), name: "a\0b" }],
  ])("on %s", async (param, request) => {
    const failure = await refusalOf(uploader.client.uploadMedia(request, uploader.as));
    expect(failure).toMatchObject({ code: "invalid_request" });
    expect(failure?.message).toContain(param);
  });
});

test("many at once are all kept, each under a name of its own", async () => {
  const content = await drawn(900, 900).png().toBuffer();
  const made = await Promise.all(Array.from({ length: 12 }, async () => await uploader.upload(content)));
  expect(new Set(made.map(({ id }) => id)).size).toBe(12);
  for (const { id, byteCount } of made) expect((await kept(id)).length).toBe(byteCount);
});

test("too many of a tenant at once are asked to come again, and another tenant's are kept", async () => {
  const content = await drawn(900, 900).png().toBuffer();
  const other = new Uploader(service, await service.createTenant());
  const asked = Promise.allSettled(Array.from({ length: 40 }, async () => await uploader.upload(content)));
  const others = Array.from({ length: 3 }, async () => await other.upload(content));
  expect(await Promise.all(others)).toHaveLength(3);
  const results = await asked;
  const late = results.filter(({ status }) => status === "rejected");
  expect(late.length).toBeGreaterThan(0);
  expect(results.length - late.length).toBeGreaterThanOrEqual(13);
  for (const result of late) {
    const failure = await refusalOf(Promise.reject((result as PromiseRejectedResult).reason as Error));
    expect(failure).toMatchObject({ status: "Unavailable", code: "service_unavailable" });
  }
  expect(await uploader.upload(content)).toMatchObject({ width: 900 });
});
