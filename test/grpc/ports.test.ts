import { once } from "node:events";
import { connect as connectHttp2, type IncomingHttpHeaders } from "node:http2";
import { connect } from "node:net";
import { text as textOf } from "node:stream/consumers";
import { setTimeout } from "node:timers/promises";
import { afterAll, describe, expect, test, vi } from "vitest";
import { ServerReflection } from "#schemas/grpc/reflection/v1/reflection_pb.js";
import { LinksService } from "../../gen/paylink/links/v1/links_pb.ts";
import { SchemaIndex, serializedFiles } from "../../src/platform/grpc/schema-index.ts";
import { openCorePorts } from "../support/core-server.ts";
import { forFile } from "../support/for-file.ts";
import { startService } from "../support/service.ts";

const CREATE = "/paylink.links.v1.LinksService/CreatePaymentLink";
const LIST = "/paylink.links.v1.LinksService/ListPaymentLinks";

const service = await forFile(startService());
const ports = await forFile(openCorePorts(service.core));
const session = connectHttp2(`http://${ports.http2}`);
afterAll(() => session.destroy());

const addressOf = (named: string): { host: string; port: number } => ({
  host: "127.0.0.1",
  port: Number(named.split(":")[1]),
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

  test.concurrent.each(cases)(
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

  test("an address with a bad escape is 400", async () => {
    const response = await fetch(`http://${ports.http1}/%zz`, { method: "POST", body: "{}" });
    expect([response.status, await response.text()]).toEqual([400, ""]);
  });

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

test("an answer is compressed with gzip, and not with brotli, which takes long", async () => {
  const { id } = await service.createTenant();
  const metadata = { text: "x".repeat(2000) };
  const encodingFor = async (accepted: string): Promise<string | null> => {
    const response = await fetch(`http://${ports.http1}${CREATE}`, {
      method: "POST",
      headers: {
        ...service.internal.headers,
        "content-type": "application/json",
        "accept-encoding": accepted,
        "paylink-tenant": id,
        "paylink-mode": "test",
        "idempotency-key": accepted,
      },
      body: JSON.stringify({ amount: "1000", currency: "BRL", reference: "r", metadata }),
    });
    expect(await response.json()).toMatchObject({ paymentLink: { metadata } });
    return response.headers.get("content-encoding");
  };
  expect(await encodingFor("gzip, br")).toBe("gzip");
  expect(await encodingFor("br")).toBeNull();
});

test("a schema is put into bytes once", () => {
  const index = new SchemaIndex([LinksService, ServerReflection]);
  const file = index.fileDeclaring(LinksService.typeName);
  if (!file) throw new Error("no file");
  const [first, second] = [serializedFiles(file, new Set()), serializedFiles(file, new Set())];
  expect(second.every((bytes, position) => bytes === first[position])).toBe(true);
});
