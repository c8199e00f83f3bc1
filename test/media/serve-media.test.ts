import { rm } from "node:fs/promises";
import { join } from "node:path";
import { createClient } from "@connectrpc/connect";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { MediaService } from "../../gen/paylink/media/v1/media_pb.ts";
import { expectError } from "../support/error-answer.ts";
import { pictureFolder, Uploader } from "../support/media.ts";
import { noise, png, seen } from "../support/pictures.ts";
import { startService, type TestService } from "../support/service.ts";

describe.each(["direct", "network"] as const)("over the %s transport", (kind) => {
  let service: TestService;
  let pictures: Awaited<ReturnType<typeof pictureFolder>>;
  let uploader: Uploader;
  let id: string;
  beforeAll(async () => {
    pictures = await pictureFolder();
    service = await startService(kind, pictures);
    uploader = new Uploader(service, await service.createTenant(), "live");
    ({ id } = await uploader.upload(await png()));
  });
  afterAll(async () => {
    await service.close();
    await pictures.remove();
  });

  const ask = async (url: string, headers: Record<string, string> = {}, method: "GET" | "HEAD" = "GET") =>
    await service.gateway.inject({ method, url, headers });

  test("200 with the picture, cacheable without end, doing nothing by itself", async () => {
    const answer = await ask(`/media/${id}.webp`);
    expect(answer.statusCode).toBe(200);
    expect(answer.headers).toMatchObject({
      "content-type": "image/webp",
      "cache-control": "public, max-age=31536000, immutable",
      "content-security-policy": "default-src 'none'; sandbox",
      "x-content-type-options": "nosniff",
      "cross-origin-resource-policy": "cross-origin",
      etag: expect.stringMatching(/^"[0-9a-f]{64}"$/),
    });
    expect(await seen(answer.rawPayload)).toMatchObject({ format: "webp", width: 40, height: 30 });
  });

  test("HEAD has the same headers and no body", async () => {
    const [whole, head] = [await ask(`/media/${id}.webp`), await ask(`/media/${id}.webp`, {}, "HEAD")];
    expect(head.statusCode).toBe(200);
    expect(head.rawPayload).toHaveLength(0);
    for (const name of ["content-type", "content-length", "etag", "cache-control"]) {
      expect([name, head.headers[name]]).toEqual([name, whole.headers[name]]);
    }
  });

  test("304 to who has it already", async () => {
    const { etag = "" } = (await ask(`/media/${id}.webp`)).headers;
    for (const known of [etag, `"other", W/${etag}`, "*"]) {
      const answer = await ask(`/media/${id}.webp`, { "if-none-match": known });
      expect(answer.statusCode).toBe(304);
      expect(answer.rawPayload).toHaveLength(0);
      expect(answer.headers.etag).toBe(etag);
    }
    expect((await ask(`/media/${id}.webp`, { "if-none-match": '"other"' })).statusCode).toBe(200);
  });

  test("304 is answered without the picture's file", async () => {
    const lost = await uploader.upload(await png());
    const { etag = "" } = (await ask(`/media/${lost.id}.webp`)).headers;
    await rm(join(pictures.folder, `${lost.id}.webp`));
    expect((await ask(`/media/${lost.id}.webp`, { "if-none-match": etag })).statusCode).toBe(304);
  });

  test("404 where there is none, for any name", async () => {
    const names = [
      id,
      `${id}.png`,
      `${id}.webp.webp`,
      `${id.toUpperCase()}.webp`,
      "med_01jzzzzzzzzzzzzzzzzzzzzzzz.webp",
      "%2e%2e%2fdata-key",
      "..%2f..%2fetc%2fpasswd",
      "%00",
      "med_",
    ];
    for (const name of names) {
      const answer = await ask(`/media/${name}`);
      expectError(
        { status: answer.statusCode, headers: answer.headers, text: answer.body },
        { status: 404, code: "not_found" },
      );
      expect(answer.headers["cache-control"]).toBeUndefined();
    }
  });

  test("405 to another verb", async () => {
    const answer = await service.gateway.inject({ method: "POST", url: `/media/${id}.webp` });
    expect(answer.headers["allow"]).toBe("GET, HEAD");
    expectError(
      { status: answer.statusCode, headers: answer.headers, text: answer.body },
      { status: 405, code: "method_not_allowed" },
    );
  });

  test("one of nearly 3 MiB is taken from the gateway's side, and shown", async () => {
    const content = await noise();
    expect(content.length).toBeGreaterThan(3_000_000);
    const client = createClient(MediaService, service.transport);
    const { media } = await client.uploadMedia({ content, name: "noise" }, uploader.as);
    const answer = await ask(`/media/${media?.id}.webp`);
    expect([answer.statusCode, answer.rawPayload.length]).toEqual([200, media?.byteCount]);
  });

  test("the core reads one for any caller, without tenant or mode, and finds no other kind of thing", async () => {
    const client = createClient(MediaService, service.transport);
    const { content, contentType } = await client.getMedia({ id }, service.internal);
    expect(contentType).toBe("image/webp");
    expect(await seen(content)).toMatchObject({ width: 40 });
    await expect(client.getMedia({ id: id.replace("med_", "pl_") }, service.internal)).rejects.toThrow(
      "There is no such picture in this mode",
    );
  });

  test("500 and a line for the operator when a file is gone that should be there", async () => {
    const lost = await uploader.upload(await png());
    await rm(join(pictures.folder, `${lost.id}.webp`));
    const answer = await ask(`/media/${lost.id}.webp`);
    expectError(
      { status: answer.statusCode, headers: answer.headers, text: answer.body },
      { status: 500, code: "internal_error" },
    );
    expect(service.faults.splice(0)).toMatchObject([{ err: { message: `the file of ${lost.id} is gone` } }]);
  });
});
