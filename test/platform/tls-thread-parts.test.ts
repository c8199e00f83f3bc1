import { once } from "node:events";
import { connect, createServer, type AddressInfo, type Socket } from "node:net";
import { expect, onTestFinished, test, vi } from "vitest";
import { CostlyOwners } from "../../src/platform/costly-owners.ts";
import { FairTurns } from "../../src/platform/outgoing-tls/fair-turns.ts";
import { MeteredStream } from "../../src/platform/outgoing-tls/metered-stream.ts";
import { forFile } from "../support/for-file.ts";

const KIB = 1024;
const peers: Socket[] = [];
const server = createServer((socket) => {
  socket.on("error", () => undefined);
  peers.push(socket);
}).listen(0, "127.0.0.1");
await forFile(
  once(server, "listening").then(() => ({
    close: async () => {
      for (const peer of peers) peer.destroy();
      await once(server.close(), "close");
    },
  })),
);

/** Takes time of the processor, as a handshake does. */
function work(ms: number): void {
  const endMs = performance.now() + ms;
  while (performance.now() < endMs);
}

/** Takes so many milliseconds of the processor, however long others keep it. */
function compute(ms: number): void {
  const before = process.threadCpuUsage();
  for (let usedMs = 0; usedMs < ms;) {
    const { user, system } = process.threadCpuUsage(before);
    usedMs = (user + system) / 1000;
  }
}

test("an owner whose work is slow delays another by one piece of it", async () => {
  const turns = new FairTurns();
  const order: string[] = [];
  const take = (owner: string, ms: number): void =>
    turns.take(owner, () => {
      order.push(owner);
      work(ms);
    });
  for (let index = 0; index < 5; index++) take("slow", 20);
  for (let index = 0; index < 3; index++) take("quick", 0);
  await expect.poll(() => order.length).toBe(8);
  expect(order.slice(0, 4)).toEqual(["slow", "quick", "quick", "quick"]);
});

test("an owner whose work takes the processor long is named, and no other", async () => {
  const named: string[] = [];
  const turns = new FairTurns((owner) => named.push(owner));
  const { promise: done, resolve } = Promise.withResolvers<void>();
  for (let index = 0; index < 20; index++) turns.take("usual", () => work(5));
  turns.take("slow", () => compute(60));
  turns.take("last", resolve);
  await done;
  await expect.poll(() => named).toEqual(["slow"]);
});

test("an owner is costly for ten minutes from its last costly handshake, and no more are known than 10,000", () => {
  // The cache keeps the object `performance`, and looks at it once a millisecond.
  let nowMs = performance.now();
  const clock = vi.spyOn(performance, "now").mockImplementation(() => nowMs);
  vi.useFakeTimers({ toFake: ["setTimeout"] });
  onTestFinished(() => {
    vi.useRealTimers();
    clock.mockRestore();
  });
  const pass = (ms: number): void => {
    nowMs += ms;
    vi.advanceTimersByTime(ms);
  };
  const owners = new CostlyOwners();
  owners.note("tnt_a");
  pass(599_000);
  expect([owners.has("tnt_a"), owners.has("tnt_b")]).toEqual([true, false]);
  owners.note("tnt_a");
  pass(599_000);
  expect(owners.has("tnt_a")).toBe(true);
  pass(1001);
  expect(owners.has("tnt_a")).toBe(false);
  for (let index = 0; index <= 10_000; index++) owners.note(`tnt_${index}`);
  expect([owners.has("tnt_0"), owners.has("tnt_1"), owners.has("tnt_10000")]).toEqual([false, true, true]);
});

/** Has a server send so many bytes by 16 KiB, of which so many are decrypted each time. Returns those that passed. */
async function passed(byteCount: number, decryptedCount: number): Promise<number> {
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
  const [peer] = (await once(server, "connection")) as [Socket];
  const stream = new MeteredStream(socket, new FairTurns(), "tnt_a");
  stream.secured();
  let count = 0;
  stream.on("error", () => undefined);
  stream.on("data", (chunk: Buffer) => {
    count += chunk.length;
    stream.decrypted(decryptedCount);
  });
  for (let sent = 0; sent < byteCount; sent += 16 * KIB) peer.write(Buffer.alloc(16 * KIB));
  peer.end();
  await new Promise((resolve) => {
    stream.on("end", resolve).on("close", resolve);
  });
  stream.destroy();
  return count;
}

test("a server that sends tickets without end is cut off, and one that answers is not", async () => {
  expect(await passed(4096 * KIB, 0)).toBeLessThanOrEqual(256 * KIB);
  expect(await passed(4096 * KIB, 8 * KIB)).toBe(4096 * KIB);
});
