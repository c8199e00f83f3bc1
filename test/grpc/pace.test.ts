import { once } from "node:events";
import { connect, createServer, type AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { expect, onTestFinished, test } from "vitest";
import { paceSessions } from "../../src/platform/grpc/paced-socket.ts";

const KIB = 1024;

/** Starts a server of paced connections, each of which is given to `take`. Returns its port. */
async function listen(take: (socket: Duplex) => void): Promise<number> {
  const server = createServer({ allowHalfOpen: true }, take);
  paceSessions(server, "connection");
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

test("all connections together hand on few bytes in a turn of the event loop, and lose none", async () => {
  const [connections, bytes] = [8, 4 * KIB * KIB];
  let [inTurn, most] = [0, 0];
  const received: Promise<Buffer>[] = [];
  const port = await listen((socket) => {
    const chunks: Buffer[] = [];
    socket.on("data", (chunk: Buffer) => {
      chunks.push(chunk);
      if (inTurn === 0) setImmediate(() => (inTurn = 0));
      inTurn += chunk.length;
      most = Math.max(most, inTurn);
    });
    received.push(once(socket, "end").then(() => Buffer.concat(chunks)));
    socket.on("end", () => socket.end());
  });
  const sent = Buffer.alloc(bytes, "0123456789");
  const clients = Array.from({ length: connections }, () => connect(port, "127.0.0.1").resume());
  await Promise.all(
    clients.map(async (client) => {
      client.end(sent);
      await once(client, "close");
    }),
  );
  const all = await Promise.all(received);
  expect(all.map((one) => one.equals(sent))).toEqual(Array(connections).fill(true));
  // Its own count ends after the server's, so it may hold two turns.
  expect(most).toBeLessThanOrEqual(64 * KIB);
});

test("a server that does not read stops its client, and goes on where it was", async () => {
  let server: Duplex | undefined;
  const port = await listen((socket) => (server = socket));
  const client = connect(port, "127.0.0.1");
  const sent = Buffer.alloc(32 * KIB * KIB, "abc");
  client.end(sent);
  await expect.poll(() => server?.readableLength ?? 0).toBeGreaterThan(0);
  const held = server?.readableLength;
  await once(client.resume(), "finish", { signal: AbortSignal.timeout(500) }).catch(() => undefined);
  expect(client.writableFinished).toBe(false);
  expect(held).toBeLessThan(256 * KIB);
  expect(Buffer.concat(await (server as Duplex).toArray()).equals(sent)).toBe(true);
  server?.destroy();
});

test("what is written arrives whole, and an end of one side leaves the other", async () => {
  const port = await listen((socket) => {
    socket.resume().on("end", () => {
      for (let count = 0; count < 1000; count++) socket.write(`${count};`);
      socket.end();
    });
  });
  const client = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
  client.end("ask");
  const answer = Buffer.concat(await client.toArray()).toString();
  expect(answer).toBe(`${Array.from({ length: 1000 }, (_, index) => index).join(";")};`);
});
