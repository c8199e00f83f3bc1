import fastify from "fastify";
import { once } from "node:events";
import { connect, type AddressInfo, type Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { afterEach, expect, test } from "vitest";
import { Permits } from "../../gateway/http/permits.ts";
import { PublicError } from "../../gateway/transcode/errors.ts";

const refusal = () =>
  new PublicError("service_unavailable", "Too many requests are under way: try again in a moment.");
const ENDS: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ENDS.splice(0).toReversed()) await end();
});

/** A server whose requests under /held wait until they are let go, and whose /large answers nobody reads whole at once. */
async function served(limits: { total: number; perKey: number; waitingPerKey: number }, permitMs?: number) {
  const server = fastify({ trustProxy: true, forceCloseConnections: true });
  const permits = new Permits({ ...limits, waitingTotal: 100, refusal }, permitMs);
  const held: (() => void)[] = [];
  const begun: string[] = [];
  let isOver = false;
  permits.byNetwork(server);
  server.route({
    method: "GET",
    url: "/held",
    handler: async (request) => {
      begun.push(request.ip);
      if (!isOver) await new Promise<void>((resolve) => held.push(resolve));
      return "done";
    },
  });
  server.get("/large", (_request, reply) => reply.send(Buffer.alloc(32 * 1024 ** 2)));
  server.post("/form", (_request, reply) => reply.send("form"));
  server.get("/quick", (_request, reply) => reply.send("quick"));
  server.get("/stream", { config: { isStream: true } }, (_request, reply) => reply.send("stream"));
  server.setErrorHandler((error, _request, reply) =>
    reply.code(error instanceof PublicError ? error.status : 500).send(),
  );
  await server.listen({ port: 0, host: "127.0.0.1" });
  ENDS.push(async () => {
    isOver = true;
    for (const release of held) release();
    await server.close();
  });
  const { port } = server.server.address() as AddressInfo;
  const get = async (path: string, address: string, signal?: AbortSignal) =>
    (
      await fetch(`http://127.0.0.1:${port}${path}`, {
        headers: { "x-forwarded-for": address },
        ...(signal ? { signal } : {}),
      })
    ).status;
  return { get, held, begun, port };
}

/** Sends a request and reads nothing of its answer. */
function unread(port: number, path: string, address: string): Socket {
  const socket = connect(port, "127.0.0.1");
  socket.on("error", () => undefined).pause();
  socket.write(`GET ${path} HTTP/1.1\r\nhost: a\r\nx-forwarded-for: ${address}\r\n\r\n`);
  ENDS.push(() => socket.destroy());
  return socket;
}

test("a network with much to do waits for its own requests alone, and keys take turns", async () => {
  const { get, held, begun } = await served({ total: 3, perKey: 2, waitingPerKey: 10 });
  const many = Array.from({ length: 6 }, async () => await get("/held", "192.0.2.1"));
  await expect.poll(() => begun.length).toBe(2);
  expect(await get("/quick", "198.51.100.1")).toBe(200);
  const other = get("/held", "198.51.100.1");
  await expect.poll(() => begun).toEqual(["192.0.2.1", "192.0.2.1", "198.51.100.1"]);
  const freed = setInterval(() => held.shift()?.(), 5);
  ENDS.push(() => clearInterval(freed));
  expect(new Set(await Promise.all([...many, other]))).toEqual(new Set([200]));
});

test("more than may wait are refused with 503, and a stream needs no permit", async () => {
  const { get, begun } = await served({ total: 1, perKey: 1, waitingPerKey: 1 });
  const all = [1, 2].map(async () => await get("/held", "192.0.2.1").catch(() => 0));
  await expect.poll(() => begun.length).toBe(1);
  await expect.poll(async () => await get("/quick", "192.0.2.1")).toBe(503);
  expect(await get("/stream", "192.0.2.1")).toBe(200);
  void all;
});

test("a client that leaves while it waits gives its place up", async () => {
  const { get, held, begun } = await served({ total: 1, perKey: 1, waitingPerKey: 1 });
  const first = get("/held", "192.0.2.1");
  await expect.poll(() => begun.length).toBe(1);
  const gone = new AbortController();
  const second = get("/held", "192.0.2.1", gone.signal).catch(() => "gone");
  await expect.poll(async () => await get("/quick", "192.0.2.1")).toBe(503);
  gone.abort();
  expect(await second).toBe("gone");
  // It is refused until the other one's place is free.
  let third: Promise<number> | undefined;
  while (third === undefined) {
    const asked = get("/quick", "192.0.2.1");
    const isRefused = (await Promise.race([asked, delay(200)])) === 503;
    if (!isRefused) third = asked;
  }
  held[0]?.();
  expect([await first, await third]).toEqual([200, 200]);
  expect(begun).toHaveLength(1);
});

test("a request that arrives slowly holds no permit", async () => {
  const { get, port } = await served({ total: 1, perKey: 1, waitingPerKey: 0 });
  const slow = connect(port, "127.0.0.1").on("error", () => undefined);
  ENDS.push(() => slow.destroy());
  slow.write("POST /form HTTP/1.1\r\nhost: a\r\ncontent-type: text/plain\r\ncontent-length: 500\r\n\r\na=");
  await delay(200);
  expect(await get("/quick", "127.0.0.1")).toBe(200);
  slow.write("b".repeat(498));
  const [answer] = (await once(slow, "data")) as [Buffer];
  expect(answer.toString()).toMatch(/^HTTP\/1.1 200/);
});

test("an answer that nobody reads keeps its permit, for its time at most", async () => {
  const { get, port } = await served({ total: 1, perKey: 1, waitingPerKey: 5 }, 1500);
  const startedMs = performance.now();
  unread(port, "/large", "192.0.2.1");
  await expect.poll(async () => await get("/quick", "198.51.100.1"), { timeout: 20_000 }).toBe(200);
  expect(performance.now() - startedMs).toBeGreaterThan(1000);
  const leaving = unread(port, "/large", "192.0.2.1");
  setTimeout(() => leaving.destroy(), 100);
  expect(await get("/quick", "198.51.100.1")).toBe(200);
});
