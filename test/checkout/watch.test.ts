import { fastify } from "fastify";
import { connect, type AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { Watches } from "../../gateway/checkout/watch.ts";
import { observeRequest, type EndedRequest } from "../../gateway/http/request-observer.ts";

const KEYS = { page: "p", link: "pl_1", address: "127.0.0.1" };

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
    async (_request, reply) => await watches.stream(KEYS, reply, async () => await Promise.resolve("{}")),
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
    await watches.stream(KEYS, reply, read);
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

test("a stream that ended behind another answer of its connection is not written to any more", async () => {
  const watches = new Watches(10);
  const held = Promise.withResolvers<string>();
  const faults: Error[] = [];
  let reads = 0;
  const read = async (): Promise<string> => {
    if (++reads === 2) throw new Error("the core is away");
    return await Promise.resolve(String(reads));
  };
  const app = fastify();
  app.addHook("onRequest", (_request, { raw }, done) => {
    raw.on("error", (error) => faults.push(error));
    done();
  });
  app.get("/held", async () => await held.promise);
  app.get("/", async (_request, reply) => await watches.stream(KEYS, reply, read));
  await app.listen({ host: "127.0.0.1", port: 0 });
  const { port } = app.server.address() as AddressInfo;
  const socket = connect(port, "127.0.0.1");
  socket.write("GET /held HTTP/1.1\r\nHost: a\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
  await expect.poll(() => reads).toBeGreaterThanOrEqual(2);
  // Another window of the same page is watched on.
  const other = await fetch(`http://127.0.0.1:${port}/`);
  await expect.poll(() => reads).toBeGreaterThan(6);
  expect(faults).toEqual([]);
  held.resolve("whole");
  expect(await text(socket)).toMatch(/whole.*data: 1\n\n\r\n0\r\n\r\n$/s);
  await watches.close();
  expect(await other.text()).toMatch(/data: 4\n\n/);
  await app.close();
});

test("a stream whose first state was read before a change that the others have gets the change", async () => {
  const watches = new Watches(10);
  const app = fastify();
  let isChanged = false;
  const now = async (): Promise<string> => await Promise.resolve(isChanged ? "after" : "before");
  const earlier = async (): Promise<string> => await Promise.resolve("before");
  app.get("/first", async (_request, reply) => await watches.stream(KEYS, reply, now));
  app.get("/second", async (_request, reply) => await watches.stream(KEYS, reply, earlier));
  await app.listen({ host: "127.0.0.1", port: 0 });
  const { port } = app.server.address() as AddressInfo;
  /** Reads a stream until it has the state. */
  async function until(path: string, state: string): Promise<void> {
    const { body } = await fetch(`http://127.0.0.1:${port}${path}`);
    let read = "";
    for await (const chunk of body ?? []) {
      read += new TextDecoder().decode(chunk);
      if (path === "/first" && read.includes("before")) isChanged = true;
      if (read.includes(state)) return;
    }
  }
  const stays = await fetch(`http://127.0.0.1:${port}/first`);
  await until("/first", "after");
  await until("/second", "after");
  await watches.close();
  await stays.text();
  await app.close();
});
