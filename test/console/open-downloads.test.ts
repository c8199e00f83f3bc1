import fastify from "fastify";
import { once } from "node:events";
import { connect, type AddressInfo, type Socket } from "node:net";
import { Readable } from "node:stream";
import { expect, test } from "vitest";
import { OpenDownloads } from "../../gateway/console/export/open-downloads.ts";
import { Refused } from "../../gateway/console/refused.ts";
import type { Visit } from "../../gateway/console/visit.ts";
import { forFile } from "../support/for-file.ts";

const STALL_MS = 1500;

async function serve(): Promise<{ port: number; close(): Promise<void> }> {
  const downloads = new OpenDownloads(STALL_MS);
  const app = fastify();
  app.setErrorHandler(async (error, _, reply) => reply.code(error instanceof Refused ? 429 : 500).send());
  app.get<{ Params: { tenant: string } }>("/:tenant", async ({ params: { tenant } }, reply) => {
    downloads.hold({ tenantId: tenant, reply, ended: Promise.resolve() } as unknown as Visit);
    return reply.send(Readable.from(Array.from({ length: 400 }, () => "x".repeat(100_000))));
  });
  await app.listen({ host: "127.0.0.1", port: 0 });
  return { port: (app.server.address() as AddressInfo).port, close: async () => await app.close() };
}

const { port } = await forFile(serve());

/** Asks for a download, and reads no more than its beginning. */
async function unread(tenant: string): Promise<Socket> {
  const socket = connect(port, "127.0.0.1");
  socket.on("error", () => undefined);
  socket.write(`GET /${tenant} HTTP/1.1\r\nhost: x\r\n\r\n`);
  await once(socket, "data");
  socket.pause();
  return socket;
}

const statusOf = async (tenant: string): Promise<number> => {
  const response = await fetch(`http://127.0.0.1:${port}/${tenant}`);
  await response.body?.cancel();
  return response.status;
};

test("a tenant has four unread downloads at most, others are served, and leaving makes room", async () => {
  const held = await Promise.all([1, 2, 3, 4].map(() => unread("one")));
  expect([await statusOf("one"), await statusOf("two")]).toEqual([429, 200]);
  for (const socket of held) socket.destroy();
  await expect.poll(() => statusOf("one"), { timeout: 20_000 }).toBe(200);
});

test("a download of which nothing is read is cut off", async () => {
  const held = await Promise.all([1, 2, 3, 4].map(() => unread("three")));
  await expect.poll(() => statusOf("three"), { timeout: 20_000, interval: 200 }).toBe(200);
  for (const socket of held) socket.destroy();
});
