import { connect, type Socket } from "node:net";
import { expect, test } from "vitest";
import { forFile } from "../support/for-file.ts";
import { pictureFolder, Uploader } from "../support/media.ts";
import { grainy } from "../support/pictures.ts";
import { startService } from "../support/service.ts";

const { mediaStorage, remove } = await pictureFolder();
await forFile(Promise.resolve({ close: remove }));
const service = await forFile(startService("direct", { mediaStorage }));
const address = new URL(await service.gateway.listen({ host: "127.0.0.1", port: 0 }));

/** Asks for pictures, and reads none. */
function unread(path: string): Socket {
  const socket = connect(Number(address.port), address.hostname);
  socket.on("error", () => undefined);
  socket.pause();
  socket.write(`GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`.repeat(4));
  return socket;
}

async function statusOf(path: string): Promise<number> {
  const response = await fetch(new URL(path, address));
  await response.arrayBuffer();
  return response.status;
}

test("unread pictures of a network are bounded, and leaving makes room", async () => {
  const uploader = new Uploader(service, await service.createTenant());
  const { id, byteCount } = await uploader.upload(await grainy());
  const path = `/media/${id}.webp`;
  expect(byteCount).toBeGreaterThan(1_400_000);
  // The kernel takes up to three of the four pictures of each connection.
  const sockets = Array.from({ length: 40 }, () => unread(path));
  await expect.poll(() => statusOf(path), { timeout: 20_000 }).toBe(429);
  expect(await statusOf("/healthz")).toBe(200);
  for (const socket of sockets) socket.destroy();
  await expect.poll(() => statusOf(path), { timeout: 20_000 }).toBe(200);
});
