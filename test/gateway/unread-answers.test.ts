import { once } from "node:events";
import { connect, type AddressInfo, type Socket } from "node:net";
import { promisify } from "node:util";
import { afterAll, expect, test } from "vitest";
import { createServer } from "../../gateway/server.ts";

const STALL_MS = 400;
// The kernel takes a part of it, whatever the client reads.
const ANSWER = Buffer.alloc(16 * 1024 ** 2);

const app = createServer({ logger: false, versions: [], stallMs: STALL_MS });
afterAll(async () => await app.close());
app.get("/answer", async () => await Promise.resolve(ANSWER));
app.get("/waiting", async ({ raw }) => await once(raw.socket, "close"));
await app.listen({ host: "127.0.0.1", port: 0 });
const { port } = app.server.address() as AddressInfo;
const connections = promisify(app.server.getConnections.bind(app.server));

function ask(path: string): Socket {
  const socket = connect(port, "127.0.0.1");
  socket.on("error", () => undefined);
  socket.write(`GET ${path} HTTP/1.1\r\nhost: x\r\n\r\n`);
  return socket;
}

test("any answer of which nothing is read is cut off after its time, and one that is being made is not", async () => {
  const waiting = ask("/waiting");
  const unread = ask("/answer");
  await once(unread, "data");
  unread.pause();
  await expect.poll(() => connections(), { timeout: 20_000 }).toBe(1);
  expect(waiting.closed).toBe(false);
  waiting.destroy();
  unread.destroy();
  await expect.poll(() => connections()).toBe(0);
});
