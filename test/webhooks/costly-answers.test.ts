import { once } from "node:events";
import { createServer, type AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { nameLookup } from "../../src/webhooks/name-lookup.ts";
import { Sender } from "../../src/webhooks/sender.ts";

const sender = new Sender({ policy: { isLoopbackAllowed: true }, lookup: nameLookup(), timeoutMs: 3000 });
const HEAD = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";

test.each([
  ["of one byte", "1\r\na\r\n"],
  ["with zeros before their size", `${"0".repeat(1000)}1\r\na\r\n`],
])("an answer without end in chunks %s is read no further than one in large ones", async (_name, chunk) => {
  // So many that their bodies alone are below what is read.
  const text = HEAD + chunk.repeat(Math.ceil(300_000 / chunk.length));
  const server = createServer((socket) => {
    socket.on("error", () => undefined);
    socket.once("data", () => socket.write(text));
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const answer = await sender.post("tnt_a", `http://127.0.0.1:${port}/`, {}, Buffer.from("{}"));
  expect(answer).toMatchObject({ statusCode: 200, error: null });
});

test("empty lines without end before an answer are read no further than an answer", async () => {
  const server = createServer((socket) => {
    socket.on("error", () => undefined);
    socket.once("data", () => socket.write("\r\n".repeat(100_000)));
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const answer = await sender.post("tnt_a", `http://127.0.0.1:${port}/`, {}, Buffer.from("{}"));
  expect(answer).toMatchObject({ statusCode: null, error: "connection_failed" });
});
