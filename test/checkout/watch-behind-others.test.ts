import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { connect, type AddressInfo, type Socket } from "node:net";
import { afterAll, expect, test } from "vitest";
import { Watches } from "../../gateway/checkout/watch.ts";
import { createServer } from "../../gateway/server.ts";

const POLL_MS = 20;
const STREAM_MS = 60;
const LARGE = "x".repeat(32 * 1024 ** 2);

const faults: unknown[] = [];
const readsOf = new Map<string, number>();
const streams = new Map<string, ServerResponse>();

// A page that is watched for long: its reads are the time that passes for the others.
const clock = new Watches(POLL_MS);
const watches = new Watches(POLL_MS, STREAM_MS);
const app = createServer({ logger: false, versions: [] });
app.get("/large", async () => await Promise.resolve(LARGE));
app.get<{ Params: { page: string } }>("/:page", async ({ params: { page }, raw }, reply) => {
  reply.raw.on("error", (error) => faults.push(error));
  streams.set(page, reply.raw);
  const left = new Promise((resolve) => raw.socket.once("close", resolve));
  const keys = { page, link: page, address: "127.0.0.1" };
  await (page === "clock" ? clock : watches).stream(keys, reply, async () => {
    const reads = readsOf.get(page) ?? 0;
    readsOf.set(page, reads + 1);
    if (page === "left") await left;
    return "{}";
  });
});
await app.listen({ host: "127.0.0.1", port: 0 });
const { port } = app.server.address() as AddressInfo;
const ticking = await fetch(`http://127.0.0.1:${port}/clock`);
afterAll(async () => {
  await Promise.all([clock.close(), watches.close()]);
  await ticking.text();
  await app.close();
});

/** Asks for a stream behind an answer of which only the beginning is read. */
async function behindUnread(page: string): Promise<Socket> {
  const socket = connect(port, "127.0.0.1");
  socket.write(`GET /large HTTP/1.1\r\nhost: x\r\n\r\nGET /${page} HTTP/1.1\r\nhost: x\r\n\r\n`);
  await once(socket, "data");
  socket.pause();
  return socket;
}

async function severalReads(): Promise<void> {
  const before = readsOf.get("clock") ?? 0;
  await expect.poll(() => readsOf.get("clock") ?? 0, { timeout: 20_000 }).toBeGreaterThan(before + 10);
}

test("a stream whose end waits behind an unread answer writes no more, and its page is read no more", async () => {
  const socket = await behindUnread("slow");
  await expect.poll(() => streams.get("slow")?.writableEnded, { timeout: 20_000 }).toBe(true);
  const reads = readsOf.get("slow");
  await severalReads();
  expect(faults).toEqual([]);
  expect(readsOf.get("slow")).toBe(reads);
  socket.destroy();
});

test("a stream whose connection ended while its page was read does not begin", async () => {
  const socket = await behindUnread("left");
  await expect.poll(() => readsOf.get("left")).toBe(1);
  socket.destroy();
  await severalReads();
  expect([readsOf.get("left"), faults]).toEqual([1, []]);
});
