import { once } from "node:events";
import { createServer as createPlainServer } from "node:http";
import { connect, type AddressInfo, type Socket } from "node:net";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { boundBodies } from "../../contract/request-bodies.ts";
import { createServer } from "../../gateway/server.ts";
import { forFile } from "../support/for-file.ts";

const KIB = 1024;
const MIB = KIB * KIB;
const PIECE = "1\r\na\r\n";
// What both ends of a connection hold that nothing reads.
const HELD_BYTES = 12 * MIB;

const app = createServer({ logger: false, versions: [] });
app.post("/", async ({ body }) => await Promise.resolve({ read: (body as Buffer).length }));
app.addHook("onRequest", async (request, reply) => {
  if (request.url === "/refused") await reply.code(401).send({});
});
await app.listen({ host: "127.0.0.1", port: 0 });
await forFile(Promise.resolve(app));

const plain = createPlainServer((_request, response) => response.end("ok"));
boundBodies(plain);
plain.listen(0, "127.0.0.1");
await once(plain, "listening");
await forFile(Promise.resolve({ close: async () => await promisify(plain.close.bind(plain))() }));

const [PORT, PLAIN] = [app.server, plain].map((server) => (server.address() as AddressInfo).port);

function open(port: number | undefined, path: string, headers: string): Socket {
  const socket = connect(port ?? 0, "127.0.0.1");
  socket.on("error", () => undefined);
  socket.write(`POST ${path} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n${headers}\r\n\r\n`);
  return socket;
}

/** Writes the text again and again until the connection ends. Returns how often. */
async function writeOn(socket: Socket, text: string): Promise<number> {
  let count = 0;
  const more = (): void => {
    if (socket.destroyed || count * text.length > 10 * HELD_BYTES) return;
    count++;
    if (socket.write(text)) setImmediate(more);
    else socket.once("drain", more);
  };
  more();
  await new Promise((resolve) => socket.once("close", resolve));
  return count;
}

test.each([
  ["of a request that is refused at once", PORT, "/refused"],
  ["of an unknown address", PORT, "/unknown"],
  ["that is read", PORT, "/"],
  ["of a server without routes", PLAIN, "/livez"],
])("a body in endless small pieces %s ends its connection", async (_name, port, path) => {
  const socket = open(port, path, "transfer-encoding: chunked");
  socket.resume();
  const pieces = PIECE.repeat(1000);
  expect((await writeOn(socket, pieces)) * pieces.length).toBeLessThan(HELD_BYTES);
});

test("of an endless body that is refused, little is read, and the answer arrives", async () => {
  const socket = open(PORT, "/refused", "content-length: 1000000000");
  const answered = once(socket, "data");
  const written = writeOn(socket, "x".repeat(64 * KIB));
  expect(String((await answered)[0])).toMatch(/^HTTP\/1\.1 401 /);
  expect((await written) * 64 * KIB).toBeLessThan(HELD_BYTES);
});

test("a refused body that comes to its end leaves its connection to the next request", async () => {
  const socket = open(PORT, "/refused", `content-length: ${60 * KIB}`);
  expect(String((await once(socket, "data"))[0])).toMatch(/^HTTP\/1\.1 401 /);
  socket.write("x".repeat(60 * KIB));
  const text = JSON.stringify("x".repeat(500));
  const pieces = [...text].map((sign) => `1\r\n${sign}\r\n`).join("");
  socket.write(
    `POST / HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n${pieces}0\r\n\r\n`,
  );
  expect(String((await once(socket, "data"))[0])).toContain(`{"read":${text.length}}`);
  socket.destroy();
});
