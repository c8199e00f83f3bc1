import { randomUUID } from "node:crypto";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import fastify from "fastify";
import { expect, test } from "vitest";
import { compressTexts, encodingOf } from "../../gateway/http/compression.ts";
import { note } from "../../gateway/http/request-observer.ts";
import { ConsoleClient, createUser } from "../support/console.ts";
import { forFile } from "../support/for-file.ts";
import { createMerchant } from "../support/merchant.ts";
import { startService } from "../support/service.ts";

const service = await forFile(startService());
const ask = async (url: string, encoding: string, method: "GET" | "HEAD" = "GET", more = {}) =>
  await service.gateway.inject({ method, url, headers: { "accept-encoding": encoding, ...more } });
const unpacked = { gzip: gunzipSync, br: brotliDecompressSync };

test.each([
  ["gzip, deflate, br", "br"],
  ["gzip", "gzip"],
  ["*", "br"],
  ["br;q=0, gzip;q=0.5", "gzip"],
  ["br;q=0.0, *;q=0", undefined],
  ["identity", undefined],
  [undefined, undefined],
])("Accept-Encoding %s is answered by %s", (accepted, encoding) => {
  expect(encodingOf(accepted)).toBe(encoding);
});

test("of Accept-Encoding the first 1000 characters are read", () => {
  const header = (length: number): string => `${"x,".repeat(length / 2)}gzip`;
  expect([encodingOf(header(900)), encodingOf(header(1000))]).toEqual(["gzip", undefined]);
});

test.each(["br", "gzip"] as const)("long texts are sent by %s, and are the same texts", async (encoding) => {
  const link = await (await createMerchant(service)).newLink();
  const { body: docs } = await ask("/docs", "identity");
  const assets = [...docs.matchAll(/(?:src|href)="(\/docs\/assets\/[^"]+)"/g)].map(([, path = ""]) => path);
  for (const url of ["/openapi.json", ...assets, `/pay/${link}`]) {
    const plain = await ask(url, "identity");
    if (plain.rawPayload.length < 1024) continue;
    const small = await ask(url, encoding);
    expect([url, small.headers["content-encoding"]]).toEqual([url, encoding]);
    expect(small.headers["vary"]).toContain("accept-encoding");
    expect(plain.headers["content-encoding"]).toBeUndefined();
    expect(Number(small.headers["content-length"])).toBe(small.rawPayload.length);
    expect(small.rawPayload.length).toBeLessThan(plain.rawPayload.length / 1.5);
    if (url !== `/pay/${link}`) expect(unpacked[encoding](small.rawPayload)).toEqual(plain.rawPayload);
  }
});

test("answers of the API are compressed too, and short ones are not", async () => {
  const merchant = await createMerchant(service);
  for (let count = 0; count < 4; count++) await merchant.pay();
  const authorization = `Bearer ${merchant.tenant.testKey}`;
  const list = await ask("/v1/payments?from=2020-01-01&to=2099-01-01", "gzip", "GET", { authorization });
  expect(list.headers["content-encoding"]).toBe("gzip");
  expect(JSON.parse(String(gunzipSync(list.rawPayload))).data).toHaveLength(4);
  expect((await ask("/livez", "gzip")).headers["content-encoding"]).toBeUndefined();
});

test("a large answer is sent as it is while another of its tenant is being compressed, and others' are compressed", async () => {
  const app = fastify();
  compressTexts(app);
  const text = JSON.stringify(Array.from({ length: 50_000 }, () => randomUUID()));
  app.get<{ Params: { tenantId: string } }>("/:tenantId", async (request, reply) => {
    note(request, { tenantId: request.params.tenantId, mode: "test" });
    return await reply.type("application/json").send(text);
  });
  const get = async (url: string) => await app.inject({ url, headers: { "accept-encoding": "br" } });
  const answers = await Promise.all(["/busy", "/busy", "/busy", "/other"].map(get));
  expect(answers.map(({ headers }) => headers["content-encoding"])).toEqual([
    "br",
    undefined,
    undefined,
    "br",
  ]);
  const [first, second] = answers.map(({ rawPayload }) => rawPayload);
  expect(String(brotliDecompressSync(first ?? ""))).toBe(text);
  expect(String(second)).toBe(text);
  expect((await get("/busy")).headers["content-encoding"]).toBe("br");
  await app.close();
});

test("a page of the console, which holds secrets, is never compressed; its style sheet is", async () => {
  const owner = new ConsoleClient(
    service,
    await createUser(service, (await service.createTenant()).id, "owner"),
  );
  const { body } = await owner.get("/console/test/keys");
  expect(body.length).toBeGreaterThan(1024);
  const { headers, rawPayload } = await ask("/console/sign-in", "gzip, br");
  expect([headers["content-encoding"], rawPayload.length > 1024]).toEqual([undefined, true]);
  const escaped = await owner.get("/%63onsole/test/keys", { "accept-encoding": "gzip, br" });
  expect([escaped.statusCode, escaped.headers["content-encoding"]]).toEqual([200, undefined]);
  const [, style = ""] = /href="(\/console\/assets\/[^"]+\.css)"/.exec(body) ?? [];
  expect((await ask(style, "gzip")).headers["content-encoding"]).toBe("gzip");
});

test("HEAD of an asset answers as GET without the body, and / leads to the console", async () => {
  const { body: docs } = await ask("/docs", "identity");
  const [, asset = ""] = /src="(\/docs\/assets\/[^"]+)"/.exec(docs) ?? [];
  for (const encoding of ["identity", "br"]) {
    const [get, head] = [await ask(asset, encoding), await ask(asset, encoding, "HEAD")];
    expect([head.statusCode, head.body]).toEqual([200, ""]);
    for (const name of ["content-type", "content-length", "cache-control", "content-encoding"]) {
      expect([name, head.headers[name]]).toEqual([name, get.headers[name]]);
    }
  }
  for (const method of ["GET", "HEAD"] as const) {
    const { statusCode, headers } = await ask("/", "identity", method);
    expect([statusCode, headers["location"]]).toEqual([302, "/console"]);
  }
});
