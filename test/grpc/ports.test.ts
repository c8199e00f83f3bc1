import { once } from "node:events";
import { connect as connectHttp2, type IncomingHttpHeaders } from "node:http2";
import { connect, createServer, type AddressInfo, type Socket } from "node:net";
import { text as textOf } from "node:stream/consumers";
import { setTimeout } from "node:timers/promises";
import { createClient } from "@connectrpc/connect";
import { afterAll, describe, expect, test, vi } from "vitest";
import { ServerReflection } from "#schemas/grpc/reflection/v1/reflection_pb.js";
import { coreTransport } from "../../cli/core-transport.ts";
import { LinksService } from "../../gen/paylink/links/v1/links_pb.ts";
import { PricingService } from "../../gen/paylink/pricing/v1/pricing_pb.ts";
import { SchemaIndex, serializedFiles } from "../../src/platform/grpc/schema-index.ts";
import { Strangers } from "../../src/platform/grpc/strangers.ts";
import { newAuthority } from "../support/certificates.ts";
import { openCorePorts } from "../support/core-server.ts";
import { forFile } from "../support/for-file.ts";
import { sendRaw } from "../support/raw-http.ts";
import { startService } from "../support/service.ts";

const CREATE = "/paylink.links.v1.LinksService/CreatePaymentLink";
const LIST = "/paylink.links.v1.LinksService/ListPaymentLinks";
const MANY = 1100;

const service = await forFile(startService());
const ports = await forFile(openCorePorts(service.core));
const session = connectHttp2(`http://${ports.http2}`);
afterAll(() => session.destroy());

const addressOf = (named: string): { host: string; port: number } => ({
  host: "127.0.0.1",
  port: Number(named.split(":")[1]),
});

test("of 900 calls that a client with a token sends ahead over HTTP/1.1 a few are answered", async () => {
  const { id } = await service.createTenant();
  const headers = { ...service.internal.headers, "paylink-tenant": id, "paylink-mode": "test" };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const common = `Host: localhost\r\nContent-Type: application/json\r\nContent-Length: 2\r\n`;
  const socket = connect(addressOf(ports.http1)).on("error", () => undefined);
  const closed = vi.waitUntil(() => socket.closed);
  let text = "";
  socket.on("data", (chunk: Buffer) => (text += chunk.toString("latin1")));
  socket.write(`POST ${LIST} HTTP/1.1\r\n${common}${lines.join("")}\r\n{}`.repeat(900));
  await closed;
  expect(text.split("HTTP/1.1 ").length - 1).toBeLessThanOrEqual(4);
});

test("of 2,000 addresses with a bad escape that are sent ahead over HTTP/1.1 a few are answered", async () => {
  const { port } = addressOf(ports.http1);
  const received = await sendRaw(port, "GET /% HTTP/1.1\r\nHost: a\r\n\r\n".repeat(2000));
  expect(received.split("HTTP/1.1 ").length - 1).toBeLessThanOrEqual(4);
});

test("a body in thousands of small pieces ends its connection of HTTP/1.1", async () => {
  const { port } = addressOf(ports.http1);
  const head = `POST ${LIST} HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n`;
  const { authorization } = service.internal.headers as { authorization: string };
  const received = await sendRaw(
    port,
    `${head}authorization: ${authorization}\r\n\r\n${"1\r\n{\r\n".repeat(30_000)}`,
  );
  expect(received).toBe("");
});

describe("what no RPC takes is answered unread", () => {
  const cases: [string, string | undefined, number][] = [
    ["/nowhere", "application/json", 404],
    ["/nowhere", "text/plain", 404],
    ["/nowhere", "application/grpc", 404],
    ["/nowhere", undefined, 404],
    [CREATE, "text/plain", 415],
    [CREATE, "application/grpc+xml", 415],
    [CREATE, "application/x-www-form-urlencoded", 415],
    [CREATE, "no type", 415],
    [CREATE, undefined, 415],
  ];

  test.each(cases)("HTTP/2: %s as %s is %d, and the stream ends", async (path, type, expected) => {
    const stream = session.request({
      ":method": "POST",
      ":path": path,
      ...(type === undefined ? {} : { "content-type": type }),
    });
    stream.on("error", () => undefined);
    stream.write("[[");
    const [headers] = (await once(stream, "response")) as [IncomingHttpHeaders];
    expect([headers[":status"], await textOf(stream)]).toEqual([expected, ""]);
    if (!stream.closed) await once(stream, "close");
  });

  test.concurrent.each([...cases, ["/%zz", "application/json", 400] as (typeof cases)[0]])(
    "HTTP/1.1: %s as %s is %d, and the connection ends",
    async (path, type, expected) => {
      const socket = connect(addressOf(ports.http1)).on("error", () => undefined);
      const typed = type === undefined ? "" : `Content-Type: ${type}\r\n`;
      socket.write(`POST ${path} HTTP/1.1\r\nHost: localhost\r\n${typed}Content-Length: 1000000\r\n\r\n[[`);
      const answer = await textOf(socket);
      expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${expected} `));
      expect(answer).not.toMatch(/FST_|statusCode|parse/);
    },
  );

  test("a message in an address that is not in base64 is refused as what it is", async () => {
    const query = "connect=v1&encoding=json&base64=1&message=@@@";
    const response = await fetch(`http://${ports.http1}${LIST}?${query}`, service.internal);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ code: "invalid_argument" });
  });
});

test.each([
  ["encoding", "%0A%7B%22level%22%3A%22info%22%7D", 415],
  ["encoding", "%C5%81", 415],
  ["encoding", "grpc%2Bproto", 415],
  ["compression", "%0Ax", 501],
])(
  "a word in an address that no header holds is refused, and nothing of it is logged: %s=%s",
  async (name, text, status) => {
    const logged = vi.spyOn(console, "error");
    const query = new URLSearchParams("connect=v1&encoding=json&message=%7B%7D");
    query.delete(name);
    const response = await fetch(
      `http://${ports.http1}${LIST}?${query.toString()}&${name}=${text}`,
      service.internal,
    );
    expect([response.status, logged.mock.calls]).toEqual([status, []]);
    logged.mockRestore();
  },
);

test("HTTP/1.1: a refused call leaves its connection to the calls after it", async () => {
  const socket = connect(addressOf(ports.http1));
  const call = async (token: string): Promise<string> => {
    const head = `POST ${LIST} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\n`;
    socket.write(`${head}Content-Type: application/json\r\nContent-Length: 2\r\n\r\n`);
    const [answer] = (await once(socket, "data")) as [Buffer];
    // What is refused by its head is answered before the rest has come.
    socket.write("{}");
    return answer.toString().slice(0, 12);
  };
  expect(await call("wrong")).toBe("HTTP/1.1 401");
  const closed = once(socket, "close").then(() => "closed");
  // Longer than what was left unread may keep a connection.
  expect(await Promise.race([closed, setTimeout(1300, "open")])).toBe("open");
  expect(await call("wrong")).toBe("HTTP/1.1 401");
  socket.destroy();
});

/** Opens silent sockets, no more at once than a server's backlog takes. */
async function silent(address: string, count: number): Promise<{ closed: () => number; end: () => void }> {
  const sockets: Socket[] = [];
  let closed = 0;
  while (sockets.length < count) {
    const next = Array.from({ length: Math.min(100, count - sockets.length) }, () =>
      connect(addressOf(address))
        .resume()
        .on("error", () => undefined)
        .on("close", () => closed++),
    );
    sockets.push(...next);
    await Promise.all(next.map(async (socket) => await once(socket, "connect")));
  }
  return { closed: () => closed, end: () => sockets.forEach((socket) => socket.destroy()) };
}

describe("silent sockets", () => {
  test("HTTP/1.1: the oldest make room, and gateways of the same address are served", async () => {
    const transport = coreTransport([`http://${ports.http1}`]);
    const pricing = createClient(PricingService, transport);
    await pricing.listSigningKeys({}, service.internal);
    const held = await silent(ports.http1, MANY);
    await vi.waitUntil(() => held.closed() >= MANY - 1000, { timeout: 5000 });
    const calls = Array.from({ length: 100 }, () => pricing.listSigningKeys({}, service.internal));
    expect(await Promise.all(calls)).toHaveLength(100);
    held.end();
  });

  test("TLS: those that never shake hands count as well", async () => {
    const authority = await newAuthority("Ours");
    const secure = await openCorePorts(service.core, await authority.issue());
    const tls = { ca: authority.cert };
    const reach = async (address: string): Promise<number> => {
      const transport = coreTransport([`https://${address.replace("127.0.0.1", "localhost")}`], tls);
      const { keys } = await createClient(PricingService, transport).listSigningKeys({}, service.internal);
      return keys.length;
    };
    const held = await silent(secure.http2, 300);
    await vi.waitUntil(() => held.closed() >= 100, { timeout: 5000 });
    for (const address of [secure.http2, secure.http1]) expect(await reach(address)).toBeGreaterThan(0);
    held.end();
    await secure.close();
  });

  test("of one network few stay once they have had the time to call", async () => {
    const strangers = new Strangers({ all: 100, ofNetwork: 3, graceMs: 50 });
    const server = createServer((socket) => strangers.add(socket.on("error", () => undefined)));
    await once(server.listen(0, "127.0.0.1"), "listening");
    const held = await silent(`127.0.0.1:${(server.address() as AddressInfo).port}`, 20);
    await vi.waitUntil(() => held.closed() === 17, { timeout: 5000 });
    held.end();
    server.close();
  });
});

test("a schema is put into bytes once", () => {
  const index = new SchemaIndex([LinksService, ServerReflection]);
  const file = index.fileDeclaring(LinksService.typeName);
  if (!file) throw new Error("no file");
  const [first, second] = [serializedFiles(file, new Set()), serializedFiles(file, new Set())];
  expect(second.every((bytes, position) => bytes === first[position])).toBe(true);
});
