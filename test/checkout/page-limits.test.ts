import { once } from "node:events";
import { request, type ClientRequest, type IncomingMessage } from "node:http";
import { setTimeout } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { OpenStreams } from "../../gateway/checkout/streams.ts";
import { forFile } from "../support/for-file.ts";
import { secondService } from "../support/service.ts";
import { FORM, PageCaller } from "./page-caller.ts";

const { service, merchant, rows, opened } = await forFile(PageCaller.start());

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
    const keysOf = (index: number, address: string) => ({ page: `p${index}`, link: "pl", address });
    for (let index = 0; index < 20; index++) open.add(keysOf(index, `2001:db8::${index + 1}`));
    expect(open.hasRoom(keysOf(20, "2001:db8::ffff"))).toBe(false);
    for (let index = 20; index < 50; index++) open.add(keysOf(index, `192.0.2.${index}`));
    expect(open.hasRoom(keysOf(50, "192.0.2.50"))).toBe(false);
    expect(open.hasRoom({ ...keysOf(50, "192.0.2.50"), link: "other" })).toBe(true);
    open.remove(keysOf(20, "192.0.2.20"));
    expect(open.hasRoom(keysOf(50, "192.0.2.50"))).toBe(true);
  });
});

describe("too many openings", () => {
  let limited: Awaited<ReturnType<typeof secondService>>;
  beforeAll(async () => {
    limited = await secondService(service, { sessionsPerAddress: 3 });
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

  test("of one network of IPv6 are 429 too", async () => {
    const link = await merchant.newLink();
    for (let count = 1; count <= 4; count++) {
      const { statusCode } = await openFrom(link, `2001:db8:1:2:${count}::1`);
      expect(statusCode).toBe(count <= 3 ? 303 : 429);
    }
    expect((await openFrom(link, "198.51.100.6")).statusCode).toBe(303);
  });
});
