import { once } from "node:events";
import { connect, createServer, type AddressInfo, type Socket } from "node:net";
import { expect, test } from "vitest";
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
