import { fastify } from "fastify";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { Watches } from "../../gateway/checkout/watch.ts";
import { observeRequest, type EndedRequest } from "../../gateway/request-observer.ts";

const PLACE = { page: "p", link: "pl_1", address: "127.0.0.1" };

test("a page that is open for long is no slow answer", async () => {
  const watches = new Watches();
  const ended = Promise.withResolvers<EndedRequest>();
  const app = fastify();
  app.addHook("onRequest", (request, reply, done) => {
    observeRequest(request, reply, ended.resolve);
    done();
  });
  app.get(
    "/",
    async (_request, reply) => await watches.stream(PLACE, reply, async () => await Promise.resolve("{}")),
  );
  await app.listen({ host: "127.0.0.1", port: 0 });
  const askedMs = performance.now();
  const response = await fetch(`http://127.0.0.1:${(app.server.address() as AddressInfo).port}/`);
  const answerMs = performance.now() - askedMs;
  await expect.poll(() => performance.now() - askedMs).toBeGreaterThan(2 * answerMs);
  await watches.close();
  await response.text();
  expect((await ended.promise).durationMs).toBeLessThan(answerMs);
  await app.close();
});

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
    await watches.stream(PLACE, reply, read);
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
