import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { createServer, type TLSSocket } from "node:tls";
import { afterAll, afterEach, describe, expect, test } from "vitest";
import { Connection } from "../../src/api-pix/connection.ts";
import { ClientCertificate } from "../../src/platform/outgoing-tls.ts";
import { newAuthority } from "../support/certificates.ts";
import { faultOf, OPEN_GUARD } from "./connected.ts";

const KIB = 1024;
const LIMITS = { connectMs: 2000, answerMs: 3000 };
const authority = await newAuthority("Test Bank CA");
const { cert, key } = await authority.issue();
let answer: (socket: TLSSocket) => void = () => undefined;
const sockets = new Set<TLSSocket>();
/** A bank that answers each request with any bytes. */
const server = createServer({ cert, key, ca: authority.cert, requestCert: true }, (socket) => {
  sockets.add(socket);
  socket.on("error", () => undefined);
  socket.on("close", () => sockets.delete(socket));
  socket.on("data", () => answer(socket));
}).listen(0, "127.0.0.1");
await once(server, "listening");
const url = `https://localhost:${(server.address() as AddressInfo).port}/cob/x`;
const open: Connection[] = [];
afterEach(async () => {
  for (const connection of open.splice(0)) await connection.close();
});
afterAll(() => {
  for (const socket of sockets) socket.destroy();
  server.close();
});

function connect(): Connection {
  const connection = new Connection(
    "acct_a",
    OPEN_GUARD,
    LIMITS,
    new ClientCertificate({ certificate: cert, privateKey: key }, authority.cert),
  );
  open.push(connection);
  return connection;
}
const ask = async (connection = connect()) => await connection.call(url, { method: "GET", headers: {} });

/** Writes a text again and again until the connection is closed. Returns the number of bytes that left. */
function endlessly(head: string, text: string): () => number {
  let seen: TLSSocket | undefined;
  answer = (socket) => {
    seen = socket;
    const more = () => {
      while (!socket.destroyed && socket.write(text));
    };
    socket.on("drain", more);
    socket.write(head);
    more();
  };
  return () => seen?.bytesWritten ?? 0;
}

const HEAD = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n";
const INTERIM = "HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n";

describe("an answer is ended that never ends by", () => {
  test.each([
    ["interim answers", "", INTERIM.repeat(400), "too_many_interim_answers"],
    ["the extension of a chunk", `${HEAD}1;`, "x".repeat(16 * KIB), "answer_too_large"],
    ["chunks with more extension than body", HEAD, `1;${"x".repeat(KIB)}\r\n \r\n`, "answer_too_large"],
    [
      "the body of a refusal",
      HEAD.replace("200 OK", "400 Bad"),
      `1;${"x".repeat(KIB)}\r\n \r\n`,
      "answer_too_large",
    ],
  ])("%s", async (_what, head, text, code) => {
    const written = endlessly(head, text);
    expect(await faultOf(ask())).toEqual({ kind: "unknown", code });
    // What the kernels of both sides hold has left too.
    expect(written()).toBeLessThan(16 * KIB * KIB);
  });
});

test("an answer after ten interim ones is read", async () => {
  answer = (socket) => socket.write(`${INTERIM.repeat(10)}HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}`);
  expect(await ask()).toMatchObject({ status: 200, text: "{}" });
  answer = (socket) => socket.write(`${INTERIM.repeat(11)}HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}`);
  expect((await faultOf(ask())).code).toBe("too_many_interim_answers");
});

test("each call of one connection has bounds of its own", async () => {
  const text = " ".repeat(60 * KIB);
  const used = new Set<TLSSocket>();
  answer = (socket) => {
    used.add(socket);
    socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${text.length}\r\n\r\n${text}`);
  };
  const connection = connect();
  for (let count = 0; count < 20; count++) await expect(ask(connection)).resolves.toMatchObject({ text });
  // A connection is free a little after its answer is read.
  expect(used.size).toBeLessThan(4);
});
