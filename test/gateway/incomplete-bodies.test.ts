import { once } from "node:events";
import { connect, type AddressInfo, type Socket } from "node:net";
import { afterAll, expect, test } from "vitest";
import { boundIncompleteBodies } from "../../gateway/incomplete-bodies.ts";
import { createServer } from "../../gateway/server.ts";

const KIB = 1024;
const app = createServer({ logger: false, versions: [], trustedProxies: ["127.0.0.1"] });
boundIncompleteBodies(app, { all: 300 * KIB, ofOne: 200 * KIB });
app.removeAllContentTypeParsers();
app.addContentTypeParser("*", { parseAs: "buffer" }, (_request, body, done) => done(null, body));
app.post(
  "/",
  { bodyLimit: 256 * KIB },
  async ({ body }) => await Promise.resolve(String((body as Buffer).length)),
);
app.get("/large", async () => await Promise.resolve(Buffer.alloc(16 * KIB * KIB)));
await app.listen({ host: "127.0.0.1", port: 0 });
const { port } = app.server.address() as AddressInfo;
afterAll(async () => await app.close());

/** Sends a part of a body of 128 KiB, behind other requests if there are some. */
function begin(from: string, bytes: number, others = ""): Socket {
  const socket = connect(port, "127.0.0.1");
  socket.on("error", () => undefined);
  const head = `POST / HTTP/1.1\r\nhost: x\r\nx-forwarded-for: ${from}\r\ncontent-length: ${128 * KIB}\r\n\r\n`;
  socket.write(others + head + "x".repeat(bytes));
  return socket;
}

async function answerOf(socket: Socket): Promise<number> {
  const [chunk] = (await once(socket, "data")) as [Buffer];
  return Number(chunk.toString("latin1").slice(9, 12));
}

async function send(from: string, body: string): Promise<{ status: number; text: string }> {
  const headers = { "x-forwarded-for": from };
  const response = await fetch(`http://127.0.0.1:${port}/`, { method: "POST", body, headers });
  return { status: response.status, text: await response.text() };
}

test("large bodies that do not end are refused above the bound of their network and of all, and small ones are not", async () => {
  const large = "x".repeat(127 * KIB);
  expect(await send("192.0.2.1", large)).toEqual({ status: 200, text: String(large.length) });
  const held = [begin("192.0.2.1", 100 * KIB)];
  // What has arrived is seen by what it refuses.
  await expect
    .poll(async () => await send("192.0.2.1", large))
    .toEqual({ status: 503, text: expect.stringContaining("service_unavailable") as string });
  expect((await send("192.0.2.1", "x".repeat(16 * KIB))).status).toBe(200);
  expect((await send("192.0.2.2", large)).status).toBe(200);
  held.push(begin("192.0.2.2", 100 * KIB));
  await expect.poll(async () => (await send("192.0.2.3", large)).status).toBe(503);
  const [first, second] = held;
  second?.write("x".repeat(28 * KIB));
  expect(second && (await answerOf(second))).toBe(200);
  first?.destroy();
  second?.destroy();
  await expect.poll(async () => (await send("192.0.2.1", large)).status).toBe(200);
});

test("an incomplete body behind an unread answer is not counted after its connection", async () => {
  const large = "x".repeat(127 * KIB);
  const socket = begin("192.0.2.4", 100 * KIB, "GET /large HTTP/1.1\r\nhost: x\r\n\r\n");
  socket.pause();
  await expect.poll(async () => (await send("192.0.2.4", large)).status).toBe(503);
  socket.destroy();
  await expect.poll(async () => (await send("192.0.2.4", large)).status).toBe(200);
});
