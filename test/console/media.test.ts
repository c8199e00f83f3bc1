import { afterAll, describe, expect, test } from "vitest";
import { ConsoleClient, createUser } from "../support/console.ts";
import { pictureFolder, Uploader } from "../support/media.ts";
import { drawn, png } from "../support/pictures.ts";
import { startService } from "../support/service.ts";
import { forFile } from "../support/for-file.ts";

const PAGE = "/console/test/media";

const pictures = await pictureFolder();
afterAll(async () => await pictures.remove());
const service = await forFile(startService("direct", pictures));
const tenant = await service.createTenant();

async function client(role: "owner" | "developer" | "finance" = "developer"): Promise<ConsoleClient> {
  return new ConsoleClient(service, await createUser(service, tenant.id, role));
}

async function sent(by: ConsoleClient, content: Uint8Array, name = "shoe.png") {
  const form = { form_token: await by.formToken(PAGE) };
  return await by.upload(PAGE, form, {}, { name, content });
}

/** The pictures that the merchant has, newest first. */
async function kept(mode: "test" | "live" = "test") {
  const uploader = new Uploader(service, tenant, mode);
  return (await uploader.client.listMedia({}, uploader.as)).media;
}

test.each(["owner", "developer", "finance"] as const)(
  "%s uploads a picture and finds its address",
  async (role) => {
    const by = await client(role);
    const answer = await sent(by, await drawn(60, 40).jpeg().toBuffer(), `${role}.jpg`);
    const [media] = await kept();
    expect([answer.statusCode, answer.headers.location]).toEqual([303, `${PAGE}?saved=${media?.id}`]);
    expect(media).toMatchObject({ name: `${role}.jpg`, width: 60, height: 40 });
    const { body } = await by.get(String(answer.headers.location));
    expect(body).toContain(`value="${media?.url}"`);
    expect(body).toContain(`src="/media/${media?.id}.webp"`);
    expect((await by.get(`/media/${media?.id}.webp`)).statusCode).toBe(200);
  },
);

describe("an error is shown beside the field, and nothing is kept", () => {
  test.each([
    ["no picture", Buffer.from("<svg/>"), "Esta imagem não é aceita"],
    ["an empty file", Buffer.alloc(0), "Escolha um arquivo."],
    ["a file of 4 MB", Buffer.alloc(4 * 1024 * 1024, 1), "O arquivo tem 4 MB. Envie um de até 3 MB."],
  ])("%s", async (_what, content, text) => {
    const before = await kept();
    const answer = await sent(await client(), content);
    expect(answer.statusCode).toBe(422);
    expect(answer.body).toMatch(
      /id="field-content"[^>]*aria-describedby="field-content-help field-content-problem"/,
    );
    expect(answer.body).toContain(text);
    expect(await kept()).toEqual(before);
  });

  test("a file far too large is not read to its end", async () => {
    const answer = await sent(await client(), Buffer.alloc(17 * 1024 * 1024));
    expect(answer.statusCode).toBe(413);
  });

  test("fields beside the file that hold more than all of a form without one may", async () => {
    const by = await client();
    const form = { form_token: await by.formToken(PAGE), one: "x".repeat(40_000), other: "x".repeat(30_000) };
    const answer = await by.upload(PAGE, form, {}, { name: "a.png", content: await png() });
    expect(answer.statusCode).toBe(413);
  });

  test("a form without its token, or with the token behind the file", async () => {
    const by = await client();
    const before = await kept();
    const content = await png();
    expect((await by.upload(PAGE, {}, {}, { name: "a.png", content })).statusCode).toBe(403);
    const token = await by.formToken(PAGE);
    const boundary = "boundary";
    const part = (headers: string, body: Buffer | string): Buffer =>
      Buffer.concat([
        Buffer.from(`--${boundary}\r\nContent-Disposition: form-data; ${headers}\r\n\r\n`),
        Buffer.from(body),
        Buffer.from("\r\n"),
      ]);
    const answer = await service.gateway.inject({
      method: "POST",
      url: PAGE,
      headers: {
        origin: "http://127.0.0.1:8080",
        cookie: [...by.cookies].map(([name, value]) => `${name}=${value}`).join("; "),
        "content-type": `multipart/form-data; boundary=${boundary}`,
      },
      payload: Buffer.concat([
        part('name="content"; filename="a.png"\r\nContent-Type: image/png', content),
        part('name="form_token"', token),
        Buffer.from(`--${boundary}--\r\n`),
      ]),
    });
    expect(answer.statusCode).toBe(403);
    expect(await kept()).toEqual(before);
  });
});

describe("a body that is no multipart form is refused, and nothing is kept", () => {
  const part = (headers: string, body = "x") =>
    `--b\r\nContent-Disposition: form-data; ${headers}\r\n\r\n${body}\r\n`;
  const field = (token: string) => part('name="form_token"', token);
  const file = 'name="content"; filename="a.png"\r\nContent-Type: image/png';
  test.each<[what: string, type: string, body: (token: string) => string]>([
    ["without a boundary", "multipart/form-data", (token) => `${field(token)}--b--`],
    ["with an empty boundary", "multipart/form-data; boundary=", (token) => `${field(token)}--b--`],
    ["of another boundary", "multipart/form-data; boundary=other", (token) => `${field(token)}--b--`],
    ["without an end", "multipart/form-data; boundary=b", (token) => field(token) + part(file)],
    [
      "that ends in a file",
      "multipart/form-data; boundary=b",
      (token) => `${field(token)}${part(file).slice(0, -3)}`,
    ],
    ["that ends in a header", "multipart/form-data; boundary=b", (token) => `${field(token)}--b\r\nContent-`],
    ["with a part without a name", "multipart/form-data; boundary=b", () => `${part("")}--b--`],
    [
      "with the name of a method",
      "multipart/form-data; boundary=b",
      (token) => `${part('name="toString"')}${field(token)}--b--`,
    ],
    [
      "with the name of the prototype",
      "multipart/form-data; boundary=b",
      (token) => `${part('name="__proto__"')}${field(token)}--b--`,
    ],
    [
      "with very long headers",
      "multipart/form-data; boundary=b",
      (token) => `${field(token)}${part(`${file}\r\nX-A: ${"a".repeat(90_000)}`)}--b--`,
    ],
    [
      "with two files",
      "multipart/form-data; boundary=b",
      (token) => `${field(token)}${part(file)}${part(file)}--b--`,
    ],
    [
      "with many fields",
      "multipart/form-data; boundary=b",
      (token) => `${field(token)}${part('name="a"').repeat(99)}--b--`,
    ],
    ["with nothing", "multipart/form-data; boundary=b", () => ""],
    ["of noise", "multipart/form-data; boundary=b", () => "\0\x01--b--b\r\n\r\n--"],
  ])("%s", async (_what, type, body) => {
    const by = await client();
    const before = await kept();
    const answer = await service.gateway.inject({
      method: "POST",
      url: PAGE,
      headers: {
        origin: "http://127.0.0.1:8080",
        cookie: [...by.cookies].map(([name, value]) => `${name}=${value}`).join("; "),
        "content-type": type,
      },
      payload: body(await by.formToken(PAGE)),
    });
    expect([answer.statusCode >= 400, answer.statusCode < 500]).toEqual([true, true]);
    expect(await kept()).toEqual(before);
  });
});

test("a name with any content stays text", async () => {
  const by = await client();
  // A header's file name can hold neither quotes nor slashes.
  const name = "=cmd'<img src=x onerror=alert(1)>&\u{202E}gnp.jpg";
  expect((await sent(by, await png(), name)).statusCode).toBe(303);
  const { body } = await by.get(PAGE);
  expect(body).not.toContain("<img src=x");
  expect(body).toContain("=cmd&#39;&lt;img src=x onerror=alert(1)&gt;&amp;\u{202E}gnp.jpg</strong>");
  expect((await sent(by, await png(), "é".repeat(300))).statusCode).toBe(303);
  expect((await kept())[0]?.name).toBe("é".repeat(200));
});

test("a hidden one leaves the list and goes on being shown", async () => {
  const by = await client();
  await sent(by, await png(), "to-hide.png");
  const [media] = await kept();
  const answer = await by.post(PAGE, `${PAGE}/${media?.id}/hide`);
  expect([answer.statusCode, answer.headers.location]).toEqual([303, `${PAGE}?hidden=1`]);
  expect((await by.get(PAGE)).body).not.toContain("to-hide.png");
  expect((await by.get(`/media/${media?.id}.webp`)).statusCode).toBe(200);
});

test("nothing of another tenant or of the other mode can be seen or hidden", async () => {
  const other = await service.createTenant();
  const stranger = new ConsoleClient(service, await createUser(service, other.id, "owner"));
  await sent(await client(), await png(), "ours.png");
  const [media] = await kept();
  const ways: [ConsoleClient, string][] = [
    [stranger, "test"],
    [await client("owner"), "live"],
  ];
  for (const [by, mode] of ways) {
    const page = `/console/${mode}/media`;
    expect((await by.get(page)).body).not.toContain("ours.png");
    expect((await by.post(page, `${page}/${media?.id}/hide`)).statusCode).toBe(404);
  }
  expect((await kept())[0]?.name).toBe("ours.png");
});

test("long lists go on, and odd cursors begin at the beginning", async () => {
  const busy = await service.createTenant();
  const uploader = new Uploader(service, busy);
  const content = await png(4, 4);
  for (let index = 0; index < 25; index++) await uploader.upload(content, `picture-${index}.`);
  const by = new ConsoleClient(service, await createUser(service, busy.id, "developer"));
  const first = (await by.get(PAGE)).body;
  expect(first).toContain("picture-24.");
  expect(first).not.toContain("picture-0.");
  const next = /rel="next" href="([^"]+)"/.exec(first)?.[1] ?? "";
  const second = (await by.get(next)).body;
  expect(second).toContain("picture-0.");
  expect(second).not.toContain("picture-1.");
  const previous = /rel="prev" href="([^"]+)"/.exec(second)?.[1] ?? "";
  expect((await by.get(previous)).body).toContain("picture-24.");
  expect(first).not.toContain('rel="prev"');
  for (const query of ["after=nothing", "after=med_a&after=med_b", `after=${"x".repeat(99)}`]) {
    const { statusCode, body } = await by.get(`${PAGE}?${query}`);
    expect([statusCode, body.includes("picture-24.")]).toEqual([200, true]);
  }
});
