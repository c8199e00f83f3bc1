import { once } from "node:events";
import { createServer as createHttpsServer } from "node:https";
import { connect, type AddressInfo, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { expect, onTestFinished, test, vi } from "vitest";
import { boundPipelining } from "../../contract/pipelined-requests.ts";
import { createServer } from "../../gateway/server.ts";
import { newAuthority } from "../support/certificates.ts";
import { forFile } from "../support/for-file.ts";
import { readAnswers, sendRaw } from "../support/raw-http.ts";

const LARGE = Buffer.alloc(16 * 1024 ** 2, 1);

async function serve() {
  const app = createServer({ logger: false, versions: [] });
  const served = { started: 0, ended: 0, port: 0, server: app.server, close: async () => await app.close() };
  const count = (ended: { once(event: "close", run: () => void): unknown }): void => {
    served.started++;
    ended.once("close", () => served.ended++);
  };
  app.get("/small", async (_request, reply) => {
    count(reply.raw);
    return await Promise.resolve("small");
  });
  app.get("/large", async (_request, reply) => {
    count(reply.raw);
    return await Promise.resolve(LARGE);
  });
  app.get("/waiting", async (_request, reply) => {
    count(reply.raw);
    await once(reply.raw, "close");
  });
  await app.listen({ host: "127.0.0.1", port: 0 });
  served.port = (app.server.address() as AddressInfo).port;
  return served;
}

const served = await forFile(serve());
const get = (path: string, ...lines: string[]) =>
  [`GET ${path} HTTP/1.1`, "Host: a", ...lines, "", ""].join("\r\n");

function open(): Socket {
  const socket = connect(served.port, "127.0.0.1");
  socket.on("error", () => undefined);
  return socket;
}

test("of 900 requests that are sent ahead a few start, and the connection ends", async () => {
  const before = served.started;
  const socket = open();
  socket.write(get("/large").repeat(900));
  socket.resume();
  await once(socket, "close");
  expect(served.started - before).toBeLessThanOrEqual(4);
});

test("a request whose connection was reset is not begun: its address is not known any more", async () => {
  const before = served.started;
  const taken = once(served.server, "connection");
  const socket = open();
  const [connection] = (await taken) as [Socket];
  const closed = new Promise((resolve) => {
    connection.once("close", resolve);
  });
  socket.write(get("/small"));
  socket.resetAndDestroy();
  await closed;
  expect(served.started).toBe(before);
});

// What one read of a connection may hold. Without a bound, Node makes some 2,000 requests of it in one turn.
const CHUNK_BYTES = 64 * 1024;

test.each([
  ["of a route", "/small"],
  ["of an unknown address", "/unknown"],
  ["of an address that Fastify answers without hooks", "/%"],
  ["with an unknown expectation", "/small", "Expect: x"],
])(
  "of a chunk full of requests %s Node starts a few, and none more is read",
  async (_name, path, ...lines) => {
    let begun = 0;
    const count = (): number => begun++;
    for (const event of ["request", "checkExpectation"]) served.server.prependListener(event, count);
    const one = get(path, ...lines);
    const received = await sendRaw(served.port, one.repeat(CHUNK_BYTES / one.length));
    for (const event of ["request", "checkExpectation"]) served.server.off(event, count);
    expect(begun).toBeGreaterThanOrEqual(4);
    // A request with an expectation is counted twice.
    expect(begun).toBeLessThanOrEqual(10);
    expect(received.split("HTTP/1.1 ").length - 1).toBeLessThanOrEqual(4);
  },
);

test("requests with a body that are answered at once are bounded as well", async () => {
  const one = `${get("/unknown", "Content-Length: 1")}x`;
  const received = await sendRaw(served.port, one.repeat(10_000));
  expect(received.split("HTTP/1.1 ").length - 1).toBeLessThanOrEqual(4);
});

test("a server of HTTPS is bounded too", async () => {
  const { cert, key } = await (await newAuthority("HTTPS")).issue();
  const server = createHttpsServer({ cert, key }, (_request, response) => response.end());
  boundPipelining(server);
  let begun = 0;
  server.prependListener("request", () => begun++);
  await once(server.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const socket = connectTls({ port, host: "127.0.0.1", rejectUnauthorized: false }).on(
    "error",
    () => undefined,
  );
  const one = get("/");
  socket.resume().write(one.repeat(CHUNK_BYTES / one.length));
  await vi.waitUntil(() => socket.closed, { timeout: 10_000 });
  expect(begun).toBeLessThanOrEqual(10);
});

test("requests that are sent one by one ahead of an answer add up", async () => {
  const before = served.started;
  const socket = open();
  for (const count of [1, 2, 3, 4]) {
    socket.write(get("/waiting"));
    await expect.poll(() => served.started - before).toBe(count);
  }
  socket.write(get("/small"));
  await once(socket, "close");
  expect(served.started - before).toBe(4);
  await expect.poll(() => served.ended).toBe(served.started);
});

test("an answer behind an unread one ends with their connection", async () => {
  const before = served.started;
  const socket = open();
  socket.pause();
  socket.write(get("/large") + get("/small").repeat(2));
  await expect.poll(() => served.started - before).toBe(3);
  socket.destroy();
  await expect.poll(() => served.ended).toBe(served.started);
});

test("two requests that are sent ahead are answered", async () => {
  const answers = readAnswers(await sendRaw(served.port, get("/small") + get("/small", "Connection: close")));
  expect(answers.map(({ status, text }) => [status, text])).toEqual([
    [200, "small"],
    [200, "small"],
  ]);
});

test("a connection whose requests come one after the other is not bounded", async () => {
  const requests = Array.from({ length: 50 }, () => get("/small"));
  const answers = readAnswers(await sendRaw(served.port, ...requests, get("/small", "Connection: close")));
  expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 51 }, () => 200));
});
