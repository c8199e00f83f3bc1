import { once } from "node:events";
import { connect, type AddressInfo, type Socket } from "node:net";
import { promisify } from "node:util";
import { afterAll, expect, test } from "vitest";
import { boundUnreadPages, LargeAnswers } from "../../gateway/large-answers.ts";
import { createServer } from "../../gateway/server.ts";

const STALL_MS = 1500;
const MIB = 1024 ** 2;
const LARGE = "x".repeat(15 * MIB);
// Of a length in characters below a third of its bytes.
const MEDIUM = "水".repeat(80_000);
const FEW = { medium: { all: 4 * MIB, ofOne: MIB }, large: { all: 64 * MIB, ofOne: 64 * MIB } };

const tenantsHeld: string[] = [];
let left = Promise.withResolvers<void>();
const answers = new LargeAnswers(undefined, STALL_MS);
const app = createServer({ logger: false, versions: [] });
afterAll(async () => await app.close());
app.get("/picture", async () => await Promise.resolve(LARGE));
app.get<{ Params: { tenant: string } }>("/:tenant", async ({ params }, reply) => {
  answers.hold({ owner: params.tenant }, LARGE, reply);
  tenantsHeld.push(params.tenant);
  return LARGE;
});
app.post<{ Params: { tenant: string } }>("/:tenant", async ({ params }, reply) => {
  answers.hold({ owner: params.tenant }, LARGE, reply, true);
  return await Promise.resolve(LARGE);
});
app.get<{ Params: { tenant: string } }>("/left/:tenant", async ({ params, raw }, reply) => {
  await once(raw.socket, "close");
  left.resolve();
  answers.hold({ owner: params.tenant }, LARGE, reply);
  return LARGE;
});
const medium = new LargeAnswers(FEW, STALL_MS);
app.get<{ Params: { tenant: string } }>("/medium/:tenant", async ({ params }, reply) => {
  medium.hold({ owner: params.tenant }, MEDIUM, reply);
  return await Promise.resolve(MEDIUM);
});
await app.register(async (pages) => {
  boundUnreadPages(pages, new LargeAnswers(FEW, STALL_MS));
  pages.get("/page", async () => await Promise.resolve(MEDIUM));
});
await app.listen({ host: "127.0.0.1", port: 0 });
const port = (app.server.address() as AddressInfo).port;

/** Asks, and reads no more than the beginning of the answer. */
async function unread(tenant: string, verb = "GET"): Promise<{ status: string; socket: Socket }> {
  const socket = connect(port, "127.0.0.1");
  socket.on("error", () => undefined);
  socket.write(`${verb} /${tenant} HTTP/1.1\r\nhost: x\r\n\r\n`);
  const [chunk] = (await once(socket, "data")) as [Buffer];
  socket.pause();
  return { status: chunk.toString("latin1").slice(9, 12), socket };
}
const statusOf = async (tenant: string): Promise<number> => {
  const response = await fetch(`http://127.0.0.1:${port}/${tenant}`);
  await response.arrayBuffer();
  return response.status;
};

test("unread answers of a tenant are bounded, others are served, and reading or leaving makes room", async () => {
  const held = [await unread("one"), await unread("one")];
  expect(held.map(({ status }) => status)).toEqual(["200", "200"]);
  expect([await statusOf("one"), await statusOf("two")]).toEqual([429, 200]);
  for (const { socket } of held) socket.destroy();
  await expect.poll(() => statusOf("one"), { timeout: 20_000 }).toBe(200);
  expect(await statusOf("one")).toBe(200);
});

test("an answer whose client left before it was made is not counted", async () => {
  for (let count = 0; count < 4; count++) {
    left = Promise.withResolvers<void>();
    const socket = connect(port, "127.0.0.1");
    socket.write("GET /left/three HTTP/1.1\r\nhost: x\r\n\r\n", () => socket.destroy());
    await left.promise;
  }
  expect(await statusOf("three")).toBe(200);
});

test("answers of changes are never refused, and count for the reads after them", async () => {
  const held = [await unread("five", "POST"), await unread("five", "POST"), await unread("five", "POST")];
  expect(held.map(({ status }) => status)).toEqual(["200", "200", "200"]);
  expect(await statusOf("five")).toBe(429);
  for (const { socket } of held) socket.destroy();
  await expect.poll(() => statusOf("five"), { timeout: 20_000 }).toBe(200);
});

test("unread answers of all tenants together are bounded", async () => {
  const tenants = ["a", "b", "c", "d", "a", "b", "c", "d"];
  const held = await Promise.all(tenants.map((tenant) => unread(tenant)));
  expect(await statusOf("e")).toBe(503);
  for (const { socket } of held) socket.destroy();
  await expect.poll(() => statusOf("e"), { timeout: 20_000 }).toBe(200);
});

test("an answer of which nothing is read is cut off after its time", async () => {
  const connections = promisify(app.server.getConnections.bind(app.server));
  const { socket } = await unread("slow");
  const before = await connections();
  await expect.poll(() => connections(), { timeout: 20_000 }).toBeLessThan(before);
  socket.destroy();
});

/** Asks for other answers behind one that is not read: what the kernel takes of small ones is not held here. */
function queueBehind(path: string): Socket {
  const socket = connect(port, "127.0.0.1");
  socket.on("error", () => undefined);
  socket.pause();
  socket.write(["/picture", path, path].map((each) => `GET ${each} HTTP/1.1\r\nhost: x\r\n\r\n`).join(""));
  return socket;
}

test("answers that wait behind an unread one are cut off after their time", async () => {
  const socket = queueBehind("/queued");
  await expect.poll(() => tenantsHeld.filter((tenant) => tenant === "queued").length).toBe(2);
  expect(await statusOf("queued")).toBe(429);
  await expect.poll(() => statusOf("queued"), { timeout: 20_000 }).toBe(200);
  socket.destroy();
});

test.each([
  ["answers", "/medium/one"],
  ["pages", "/page"],
])("unread %s of 240 KB are bounded too, in bytes, and cut off after their time", async (_what, path) => {
  const sockets = [queueBehind(path), queueBehind(path)];
  const status = async (): Promise<number> => await statusOf(path.slice(1));
  await expect.poll(status, { timeout: 20_000 }).toBe(429);
  await expect.poll(status, { timeout: 20_000 }).toBe(200);
  for (const socket of sockets) socket.destroy();
});
