import { setTimeout } from "node:timers/promises";
import { createClient } from "@connectrpc/connect";
import { once } from "node:events";
import { request, type ClientRequest, type IncomingMessage } from "node:http";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { OpenStreams } from "../../gateway/checkout/streams.ts";
import { CheckoutService } from "../../gen/paylink/checkout/v1/checkout_pb.ts";
import { forFile } from "../support/for-file.ts";
import { createMerchant } from "../support/merchant.ts";
import { DatabaseRows } from "../support/database-rows.ts";
import { secondService, startService } from "../support/service.ts";

const service = await forFile(startService());
const merchant = await createMerchant(service);
const rows = await forFile(new DatabaseRows(service.databaseUrl).open());

const FORM = { "content-type": "application/x-www-form-urlencoded" };
const get = async (url: string, headers: Record<string, string> = {}) =>
  await service.gateway.inject({ url, headers });
const post = async (url: string, form: Record<string, string> | string = {}) =>
  await service.gateway.inject({
    method: "POST",
    url,
    headers: FORM,
    payload: typeof form === "string" ? form : new URLSearchParams(form).toString(),
  });
const opened = async (link: object = {}): Promise<string> => {
  const id = await merchant.newLink(link);
  return String((await post(`/pay/${id}/sessions`)).headers.location);
};

describe("streams of a page's state", () => {
  const streams = new Set<ClientRequest>();
  let port: number;
  beforeAll(async () => {
    port = Number(new URL(await service.gateway.listen({ host: "127.0.0.1", port: 0 })).port);
  });
  afterAll(() => {
    for (const stream of streams) stream.destroy();
  });

  /** Opens a stream from an address of this machine's own network, and answers its status. */
  async function watch(page: string, localAddress: string): Promise<number> {
    const asked = request({ host: "127.0.0.1", port, path: `${page}/events`, localAddress });
    asked.end();
    const [answer] = (await once(asked, "response")) as [IncomingMessage];
    asked.on("error", () => undefined);
    streams.add(asked);
    answer.resume();
    return answer.statusCode ?? 0;
  }

  test("are few for one visitor, and others find room", async () => {
    const pages: string[] = [];
    for (let count = 0; count < 6; count++) pages.push(await opened());
    const [last = "", ...first] = pages;
    for (const page of first) {
      for (let count = 0; count < 4; count++) expect(await watch(page, "127.0.0.2")).toBe(200);
    }
    expect(await watch(first[0] ?? "", "127.0.0.3")).toBe(503);
    expect(await watch(last, "127.0.0.2")).toBe(503);
    expect(await watch(last, "127.0.0.3")).toBe(200);
    for (const stream of streams) stream.destroy();
    await expect.poll(async () => await watch(last, "127.0.0.2")).toBe(200);
  });

  test("are bounded for a link and for a network of IPv6", () => {
    const open = new OpenStreams();
    const place = (index: number, address: string) => ({ page: `p${index}`, link: "pl", address });
    for (let index = 0; index < 20; index++) open.add(place(index, `2001:db8::${index + 1}`));
    expect(open.hasRoom(place(20, "2001:db8::ffff"))).toBe(false);
    for (let index = 20; index < 50; index++) open.add(place(index, `192.0.2.${index}`));
    expect(open.hasRoom(place(50, "192.0.2.50"))).toBe(false);
    expect(open.hasRoom({ ...place(50, "192.0.2.50"), link: "other" })).toBe(true);
    open.remove(place(20, "192.0.2.20"));
    expect(open.hasRoom(place(50, "192.0.2.50"))).toBe(true);
  });
});

describe("a page", () => {
  test("has a strict policy with nonces of its own, and is not kept", async () => {
    const link = await merchant.newLink();
    const [one, other] = [await get(`/pay/${link}`), await get(`/pay/${link}`)];
    const policy = String(one.headers["content-security-policy"]);
    const [, script = ""] = /script-src 'nonce-([0-9a-f]{32})'(;|$)/.exec(policy) ?? [];
    const [, style = ""] = /style-src 'nonce-([0-9a-f]{32})'(;|$)/.exec(policy) ?? [];
    for (const part of [
      "default-src 'none'",
      "img-src 'self' https:",
      "base-uri 'none'",
      "frame-ancestors 'none'",
    ]) {
      expect(policy).toContain(part);
    }
    expect(policy).not.toMatch(/unsafe|\*/);
    expect(one.body).toContain(`nonce="${script}"`);
    expect(one.body).toContain(`nonce="${style}"`);
    expect(other.headers["content-security-policy"]).not.toBe(policy);
    expect(one.body).not.toMatch(/ on\w+=|style=|javascript:/);
    expect(one.headers).toMatchObject({
      "cache-control": "no-store",
      "referrer-policy": "no-referrer",
      "x-content-type-options": "nosniff",
      "x-frame-options": "SAMEORIGIN",
    });
    expect(one.headers["x-request-id"]).toMatch(/^req_/);
  });

  test("loads its own files, each cacheable without end at an address of its content", async () => {
    const { body } = await get(`/pay/${await merchant.newLink()}`);
    for (const [, path = ""] of body.matchAll(/(?:href|src)="(\/pay\/assets\/[^"]+)"/g)) {
      const file = await get(path);
      expect(file.statusCode).toBe(200);
      expect(file.headers["cache-control"]).toContain("immutable");
    }
    expect([...body.matchAll(/(?:href|src)="(https?:)?\/\//g)]).toEqual([]);
  });

  test("is read by GET alone: however often, nothing is written", async () => {
    const path = await opened({ fee_handling: "pass_through" });
    await post(`${path}/payments`, { way: "pix-1" });
    const before = await rows.countAll("test");
    const link = path.split("/").slice(0, 3).join("/");
    for (const url of [
      link,
      path,
      `${path}?way=pix-1`,
      `${path}?choose=1`,
      `${path}/status`,
      `${path}/challenge`,
    ]) {
      expect((await get(url)).statusCode).toBeLessThan(400);
      await get(`${url}/sessions`);
      await get(`${url}/payments?way=pix-1`);
    }
    expect(await rows.countAll("test")).toEqual(before);
  });

  test.each(["en", "pt-BR"])("is in %s when asked, and remembers", async (language) => {
    const link = await merchant.newLink();
    const asked = await get(`/pay/${link}?lang=${language}`);
    expect(asked.body).toContain(`<html lang="${language}">`);
    const cookie = String(asked.headers["set-cookie"]).split(";")[0] ?? "";
    const other = language === "en" ? "pt-BR,pt;q=0.9" : "en-US,en;q=0.9";
    expect((await get(`/pay/${link}`, { cookie, "accept-language": other })).body).toContain(
      `<html lang="${language}">`,
    );
  });

  test.each([
    ["en-US,en;q=0.9,pt;q=0.8", "en"],
    ["pt-BR,en;q=0.9", "pt-BR"],
    ["fr,en;q=0.5", "en"],
    ["fr;q=1, pt;q=0.2, en;q=0.1", "pt-BR"],
    ["en;q=0", "pt-BR"],
    ["", "pt-BR"],
    [";;;,,q=", "pt-BR"],
  ])("Accept-Language %j is %s", async (accepted, language) => {
    const { body } = await get(`/pay/${await merchant.newLink()}`, { "accept-language": accepted });
    expect(body).toContain(`<html lang="${language}">`);
  });

  test.each([
    "/pay/x",
    "/pay/__proto__",
    "/pay/pl_01jd0000000000000000000000/cs_01jd0000000000000000000000",
    "/pay/%00",
    "/pay/..%2f..%2fetc",
    `/pay/${"x".repeat(4000)}`,
  ])("%s is unknown", async (url) => {
    const answer = await get(url);
    expect(answer.statusCode).toBe(404);
    expect(answer.body).toContain("Link não encontrado");
  });

  test("a session of another link, or of another merchant, is unknown", async () => {
    const [path, other] = [await opened(), await opened()];
    const mixed = `${path.split("/").slice(0, 3).join("/")}/${other.split("/")[3]}`;
    expect((await get(mixed)).statusCode).toBe(404);
    expect((await post(`${mixed}/payments`, { way: "pix-1" })).statusCode).toBe(404);
  });
});

describe("a payer who comes back", () => {
  const open = async (link: string, cookie = "") =>
    await service.gateway.inject({
      method: "POST",
      url: `/pay/${link}/sessions`,
      headers: { ...FORM, ...(cookie === "" ? {} : { cookie }) },
      payload: "",
    });
  const first = async (link: string) => {
    const { headers } = await open(link);
    return { path: String(headers.location), cookie: String(headers["set-cookie"]).split(";")[0] ?? "" };
  };

  test("is redirected to the open session, and nothing is written", async () => {
    const link = await merchant.newLink({ campaign: true });
    const { headers } = await open(link);
    const [cookie = "", ...attributes] = String(headers["set-cookie"]).split("; ");
    expect(attributes).toEqual(["Max-Age=900", `Path=/pay/${link}`, "HttpOnly", "SameSite=Lax"]);
    const before = await rows.countAll("test");
    expect((await open(link, cookie)).headers.location).toBe(headers.location);
    expect(await rows.countAll("test")).toEqual(before);
    await post(`${String(headers.location)}/payments`, { way: "pix-1" });
    expect((await open(link, cookie)).headers.location).toBe(headers.location);
  });

  test("after paying, past its time, from another link or with a made-up one begins anew", async () => {
    const link = await merchant.newLink({ campaign: true });
    const paid = await first(link);
    await post(`${paid.path}/payments`, { way: "pix-1" });
    await post(`${paid.path}/simulate`, { action: "approve" });
    const [elsewhere, late] = [await first(await merchant.newLink()), await first(link)];
    service.clock.advance(900);
    const unknown = `paylink_checkout=${late.path.split("/")[3]?.slice(0, -2)}00`;
    for (const cookie of [paid.cookie, elsewhere.cookie, late.cookie, unknown, "paylink_checkout=cs_%00"]) {
      const answer = await open(link, cookie);
      expect(answer.statusCode).toBe(303);
      expect([paid.path, elsewhere.path, late.path]).not.toContain(answer.headers.location);
    }
  });
});

describe("too many openings", () => {
  let limited: Awaited<ReturnType<typeof secondService>>;
  beforeAll(async () => {
    limited = await secondService(service, { sessionRates: { perAddress: 3, perLink: 5 } });
  });
  afterAll(async () => await limited.close());

  const openFrom = async (link: string, remoteAddress: string, headers: Record<string, string> = {}) =>
    await limited.gateway.inject({
      method: "POST",
      url: `/pay/${link}/sessions`,
      remoteAddress,
      headers: { ...FORM, ...headers },
      payload: "",
    });

  test("of one address are 429 in the payer's language, and write nothing; who has one open goes on", async () => {
    const [link, other] = [await merchant.newLink(), await merchant.newLink()];
    const { headers } = await openFrom(link, "203.0.113.7");
    for (let count = 0; count < 2; count++)
      expect((await openFrom(other, "203.0.113.7")).statusCode).toBe(303);
    const before = await rows.countAll("test");
    for (const [language, text] of [
      ["en", "Too many requests for now"],
      ["pt-BR", "Muitos pedidos por enquanto"],
    ] as const) {
      const answer = await openFrom(link, "203.0.113.7", { "accept-language": language });
      expect(answer.statusCode).toBe(429);
      expect(answer.headers["content-type"]).toBe("text/html; charset=utf-8");
      const seconds = Number(answer.headers["retry-after"]);
      expect(seconds).toBeGreaterThan(0);
      expect(seconds).toBeLessThanOrEqual(60);
      expect(answer.body).toContain(text);
      expect(answer.body).toContain(`<html lang="${language}">`);
      expect(answer.body).toContain(` ${seconds} `);
    }
    expect(await rows.countAll("test")).toEqual(before);
    const cookie = String(headers["set-cookie"]).split(";")[0] ?? "";
    const back = await openFrom(link, "203.0.113.7", { cookie });
    expect(back).toMatchObject({ statusCode: 303, headers: { location: headers.location } });
    const url = `${String(headers.location)}/payments`;
    const paying = {
      method: "POST",
      url,
      headers: FORM,
      payload: "way=pix-1",
      remoteAddress: "203.0.113.7",
    } as const;
    expect((await limited.gateway.inject(paying)).statusCode).toBe(303);
    expect((await openFrom(link, "203.0.113.8")).statusCode).toBe(303);
  });

  test("as many payments of one address, and looks at the provider, are 429 too, and start nothing", async () => {
    const paths = [await merchant.newLink(), await merchant.newLink()].map(async (link) => {
      return String((await openFrom(link, "203.0.113.21")).headers.location);
    });
    const [first = "", second = ""] = await Promise.all(paths);
    const send = async (url: string, payload: string, remoteAddress: string) =>
      (await limited.gateway.inject({ method: "POST", url, headers: FORM, payload, remoteAddress }))
        .statusCode;
    const address = "203.0.113.22";
    expect(await send(`${first}/payments`, "way=pix-1", address)).toBe(303);
    expect(await send(`${first}/refresh`, "", address)).toBe(303);
    expect(await send(`${second}/payments`, "way=pix-1", address)).toBe(303);
    const [, link = ""] = /\/pay\/(pl_\w+)\//.exec(second) ?? [];
    const started = async () => await rows.count("test.payment WHERE link_id = $1", [link]);
    expect(await started()).toBe(1);
    for (let count = 0; count < 4; count++) {
      expect(await send(`${second}/payments`, "way=card-1&card_token=tok_card_declined", address)).toBe(429);
      expect(await send(`${first}/refresh`, "", address)).toBe(429);
    }
    // What goes on behind an answer takes a while.
    await setTimeout(500);
    expect(await started()).toBe(1);
  });

  test("of one network of IPv6, and of one link, are 429 too", async () => {
    const [link, busy] = [await merchant.newLink(), await merchant.newLink()];
    for (let count = 1; count <= 4; count++) {
      const { statusCode } = await openFrom(link, `2001:db8:1:2:${count}::1`);
      expect(statusCode).toBe(count <= 3 ? 303 : 429);
    }
    for (let count = 1; count <= 6; count++) {
      const { statusCode } = await openFrom(busy, `198.51.100.${count}`);
      expect(statusCode).toBe(count <= 5 ? 303 : 429);
    }
    expect((await openFrom(link, "198.51.100.6")).statusCode).toBe(303);
    // Who uses a link's rate up keeps out the neighbours alone, and for each of them too there is one.
    for (const status of [303, 429]) expect((await openFrom(busy, "192.0.2.1")).statusCode).toBe(status);
    expect((await openFrom(busy, "2001:db8:7::1")).statusCode).toBe(303);
  });
});

describe("a form", () => {
  test.each([
    [{ way: "pix-2" }, 303],
    [{ way: "card-99", card_token: "tok_approved" }, 303],
    [{ way: "__proto__" }, 303],
    [{}, 422],
    [{ way: "pix-1", card_number: "4111111111111111" }, 422],
    ["way=pix-1&way=card-1", 422],
    ["way[]=pix-1", 422],
    ["__proto__=1&constructor=2&way=pix-1&card_token=x", 422],
    ["x".repeat(17_000), 413],
  ])("%j is answered %i", async (form, status) => {
    const path = await opened();
    const before = await rows.count("test.payment");
    const answer = await post(`${path}/payments`, form);
    expect(answer.statusCode).toBe(status);
    expect(answer.body).not.toMatch(/4111|stack|Error/);
    expect(await rows.count("test.payment")).toBe(before);
  });

  test("something like a card number in any field is refused, is not shown again and not kept", async () => {
    const number = "4111111111111111";
    const path = await opened({ payment_methods: ["card"], max_installments: 1 });
    const before = await rows.countAll("test");
    const answer = await post(`${path}/payments`, { way: "card-1", card_token: number });
    expect(answer.statusCode).toBe(422);
    expect(answer.body).toContain("Não digite números de cartão");
    expect(answer.body).not.toContain(number);
    expect(await rows.countAll("test")).toEqual(before);
  });

  test.each([
    ["PUT", "", "GET, HEAD"],
    ["POST", "", "GET, HEAD"],
    ["DELETE", "/payments", "GET, HEAD, POST"],
    ["PATCH", "/status", "GET, HEAD"],
  ] as const)("%s%s is 405, with what is allowed", async (method, step, allow) => {
    const answer = await service.gateway.inject({ method, url: `${await opened()}${step}` });
    expect(answer.statusCode).toBe(405);
    expect(answer.headers.allow).toBe(allow);
  });

  test.each(["/payments", "/refresh", "/simulate"])("%s read by GET leads back to the page", async (step) => {
    const path = await opened();
    expect(await get(`${path}${step}`)).toMatchObject({ statusCode: 303, headers: { location: path } });
  });

  test("HEAD is answered as GET, without a body", async () => {
    const answer = await service.gateway.inject({ method: "HEAD", url: await opened() });
    expect(answer).toMatchObject({ statusCode: 200, body: "" });
  });

  test("of JSON is refused", async () => {
    const path = await opened();
    const answer = await service.gateway.inject({
      method: "POST",
      url: `${path}/payments`,
      payload: { way: "pix-1" },
    });
    expect(answer.statusCode).toBe(415);
    expect(answer.body).toContain("não pôde ser lido");
  });

  test("that is answered by a page keeps the link to the other language", async () => {
    const path = await opened({ fee_handling: "pass_through" });
    const answer = await post(`${path}/payments`, { way: "pix-1" });
    expect(answer.statusCode).toBe(409);
    const [, href = ""] = /class="language"[^>]*href="([^"]+)"/.exec(answer.body) ?? [];
    expect((await get(href.replaceAll("&amp;", "&"))).body).toContain("How would you like to pay?");
  });

  test("with a field longer than the core takes names that field", async () => {
    const path = await opened({ payment_methods: ["pix"], collect_fields: ["address"] });
    const answer = await post(`${path}/payments`, {
      way: "pix-1",
      postal_code: "01310100",
      number: "1".repeat(21),
    });
    expect(answer.statusCode).toBe(422);
    expect(answer.body).toMatch(/<input[^>]*id="number"[^>]*aria-invalid="true"/);
  });
});

describe("money that came in", () => {
  const reported = async (path: string, reference: string): Promise<string> => {
    const client = createClient(CheckoutService, service.core.transport);
    const receipt = { reference, amount: 15_990n, providerPaymentId: `E2E-${reference}` };
    await client.recordReceipt(receipt, service.internal);
    return (await get(path)).body;
  };
  const pending = async (link: string): Promise<[path: string, reference: string]> => {
    const path = String((await post(`/pay/${link}/sessions`)).headers.location);
    await post(`${path}/payments`, { way: "pix-1" });
    const [, reference = ""] = /pix\/(pay[0-9a-z]{26})/.exec((await get(path)).body) ?? [];
    return [path, reference];
  };

  test("for a link that another payer paid first is shown", async () => {
    const link = await merchant.newLink();
    const [first, firstReference] = await pending(link);
    const [second, secondReference] = await pending(link);
    expect(await reported(first, firstReference)).toContain("Pagamento confirmado");
    expect(await reported(second, secondReference)).toContain("A devolução foi proposta.");
  });

  test("late is shown, and the payer is not asked to pay again", async () => {
    const [path, reference] = await pending(await merchant.newLink());
    await post(`${path}/simulate`, { action: "expire" });
    const page = await reported(path, reference);
    expect(page).toContain("A devolução foi proposta.");
    expect(page).not.toMatch(/Nada foi cobrado|Tentar de novo|Ver os preços/);
  });

  test("while its code's time is over and its end unknown, the page asks not to pay again", async () => {
    const [path] = await pending(await merchant.newLink());
    service.clock.advance(901);
    const { body } = await get(path);
    expect(body).toContain("não pague de novo");
    expect(body).not.toContain("pix_code");
  });
});

test("a live link shows that it cannot be paid yet", async () => {
  const live = await createMerchant(service, {}, "live");
  const { body } = await get(`/pay/${await live.newLink()}`);
  expect(body).toContain("ainda não pode ser pago");
  expect(body).not.toContain("<form");
  expect(body).not.toContain("Modo de teste");
});

test("collected fields are sealed, and in no event", async () => {
  const path = await opened({ payment_methods: ["pix"], collect_fields: ["phone"] });
  await post(`${path}/payments`, { way: "pix-1", phone: "11 91234-5678" });
  await post(`${path}/simulate`, { action: "approve" });
  expect(await rows.count("test.charge WHERE sealed_payer IS NOT NULL")).toBe(1);
  for (const table of ["charge", "event", "payment"]) {
    expect(await rows.count(`test.${table} t WHERE t::text LIKE '%91234%'`)).toBe(0);
  }
  expect(await rows.count("test.event WHERE convert_from(body, 'UTF8') LIKE '%91234%'")).toBe(0);
});
