import { fastify } from "fastify";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { Watches } from "../../gateway/checkout/watch.ts";

test("a server that stops waits for a page's read in progress", async () => {
  const watches = new Watches();
  const looked = Promise.withResolvers<void>();
  const answered = Promise.withResolvers<string>();
  let reads = 0;
  const read = async (): Promise<string> => {
    if (reads++ === 0) return "{}";
    looked.resolve();
    return await answered.promise;
  };
  const app = fastify();
  app.get("/", async (_request, reply) => {
    await watches.stream({ page: "p", link: "pl_1", address: "127.0.0.1" }, reply, read);
  });
  await app.listen({ host: "127.0.0.1", port: 0 });
  const response = await fetch(`http://127.0.0.1:${(app.server.address() as AddressInfo).port}/`);
  await looked.promise;
  let isClosed = false;
  const closing = watches.close().then(() => (isClosed = true));
  await response.text();
  expect(isClosed).toBe(false);
  answered.resolve("{}");
  await closing;
  await app.close();
  expect(reads).toBe(2);
});
