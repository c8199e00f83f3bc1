import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { BucketStorage } from "../../src/media/bucket-storage.ts";
import { ConfigError, readConfig } from "../../src/platform/config/config.ts";
import { startBucket, type Bucket } from "../support/bucket.ts";
import { forFile } from "../support/for-file.ts";
import { Uploader } from "../support/media.ts";
import { png, seen } from "../support/pictures.ts";
import { refusalOf } from "../support/refusal.ts";
import { startService, type TestService } from "../support/service.ts";

const BYTES = Uint8Array.from([1, 2, 3, 0, 255]);

const bucket = await forFile(startBucket());
beforeEach(() => {
  bucket.interfere(() => false);
  bucket.answered.length = 0;
});

describe("a bucket", () => {
  test("takes and gives bytes, signed by SigV4", async () => {
    const storage = new BucketStorage(bucket.config);
    await storage.put("med_a.webp", BYTES);
    expect([...bucket.objects]).toContainEqual(["/pictures/med_a.webp", Buffer.from(BYTES)]);
    expect(await storage.get("med_a.webp", 100)).toEqual(Buffer.from(BYTES));
    expect(await storage.get("med_b.webp", 100)).toBeUndefined();
    expect(bucket.answered).toEqual(["PUT 200", "GET 200", "GET 404"]);
  });

  test.each([
    ["secret", { secretAccessKey: "another" }],
    ["key", { accessKeyId: "another" }],
    ["region", { region: "us-east-1" }],
  ])("refuses another %s, and its text is in no error", async (_what, change) => {
    const storage = new BucketStorage({ ...bucket.config, ...change });
    for (const ask of [() => storage.put("med_c.webp", BYTES), () => storage.get("med_a.webp", 100)]) {
      const error = await ask().then(String, (reason: unknown) => reason);
      expect(error).toMatchObject({
        code: "service_unavailable",
        message: "Pictures cannot be reached now.",
        cause: { message: expect.stringMatching(/status 403$/) },
      });
      expect(JSON.stringify(error, Object.getOwnPropertyNames(error))).not.toContain("canary");
    }
    expect(bucket.objects.has("/pictures/med_c.webp")).toBe(false);
  });

  test("that fails for a moment is asked again", async () => {
    let failures = 2;
    bucket.interfere((request, response) => {
      if (failures === 0) return false;
      failures -= 1;
      request.resume();
      response.writeHead(503).end();
      return true;
    });
    await new BucketStorage(bucket.config).put("med_d.webp", BYTES);
    expect(bucket.answered).toEqual(["PUT 503", "PUT 503", "PUT 200"]);
  });

  test.each([
    ["never answers", () => true],
    [
      "breaks off",
      (request, response) => {
        void request;
        response.socket?.destroy();
        return true;
      },
    ],
    [
      "leads elsewhere",
      (request, response) => {
        request.resume();
        response.writeHead(302, { location: "http://127.0.0.1:1/" }).end();
        return true;
      },
    ],
    [
      "begins and does not end",
      (_request, response) => {
        response.writeHead(200, { "content-length": "10" }).write("x");
        return true;
      },
    ],
  ] satisfies [string, Parameters<Bucket["interfere"]>[0]][])(
    "that %s is not there",
    async (_what, interference) => {
      bucket.interfere(interference);
      const storage = new BucketStorage(bucket.config, 300);
      await expect(storage.get("med_a.webp", 100)).rejects.toMatchObject({ code: "service_unavailable" });
    },
  );
});

describe("pictures in a bucket", () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startService("direct", { mediaStorage: new BucketStorage(bucket.config, 1000) });
  });
  afterAll(async () => await service.close());

  test("are shown from there, and kept nowhere when it does not take them", async () => {
    const uploader = new Uploader(service, await service.createTenant());
    const { id } = await uploader.upload(await png());
    expect(bucket.objects.has(`/pictures/${id}.webp`)).toBe(true);
    const { rawPayload } = await service.gateway.inject({ method: "GET", url: `/media/${id}.webp` });
    expect(await seen(rawPayload)).toMatchObject({ format: "webp", width: 40 });

    bucket.interfere(() => true);
    const late = await refusalOf(uploader.upload(await png()));
    expect(late).toMatchObject({ status: "Unavailable", message: "Pictures cannot be reached now." });
    const shown = await service.gateway.inject({ method: "GET", url: `/media/${id}.webp` });
    expect(shown.statusCode).toBe(503);
    expect(shown.json()).toMatchObject({ error: { code: "service_unavailable" } });
    const why = { err: { cause: { message: "the store of pictures does not answer" } } };
    expect(service.faults.splice(0)).toMatchObject([why, why]);
    bucket.interfere(() => false);
    expect((await uploader.client.listMedia({}, uploader.as)).media.map((one) => one.id)).toEqual([id]);
  });
});

test("a file in the bucket that is not the picture that was stored is not shown", async () => {
  const service = await startService("direct", { mediaStorage: new BucketStorage(bucket.config, 1000) });
  const uploader = new Uploader(service, await service.createTenant());
  const { id } = await uploader.upload(await png());
  const stored = bucket.objects.get(`/pictures/${id}.webp`) ?? Buffer.alloc(0);
  const longer = Buffer.concat([stored, Buffer.alloc(5_000_000)]);
  for (const file of [Buffer.alloc(0), Buffer.from("<html>"), longer, stored.subarray(1)]) {
    bucket.objects.set(`/pictures/${id}.webp`, file);
    const { statusCode, headers } = await service.gateway.inject({ method: "GET", url: `/media/${id}.webp` });
    expect([statusCode, headers["cache-control"], headers.etag]).toEqual([500, undefined, undefined]);
  }
  expect(service.faults.splice(0)).toHaveLength(4);
  await service.close();
});

describe("its variables", () => {
  const whole = {
    MEDIA_S3_URL: "https://s3.example.com/pictures/",
    MEDIA_S3_REGION: "sa-east-1",
    MEDIA_S3_ACCESS_KEY_ID: "AKID",
    MEDIA_S3_SECRET_ACCESS_KEY: "secret",
  };

  test("are read together", () => {
    expect(readConfig(whole).mediaBucket).toEqual({
      url: "https://s3.example.com/pictures",
      region: "sa-east-1",
      accessKeyId: "AKID",
      secretAccessKey: "secret",
    });
    expect(readConfig({}).mediaBucket).toBeUndefined();
  });

  test.each(Object.keys(whole))("none may be absent: %s", (name) => {
    expect(() => readConfig({ ...whole, [name]: "" })).toThrow(ConfigError);
  });

  test("and the address is one", () => {
    expect(() => readConfig({ ...whole, MEDIA_S3_URL: "s3://pictures" })).toThrow(/MEDIA_S3_URL/);
  });
});
