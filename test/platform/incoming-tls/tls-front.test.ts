import fastify from "fastify";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { readdir } from "node:fs/promises";
import { request as requestSecurely } from "node:https";
import type { IncomingMessage } from "node:http";
import { connect } from "node:net";
import { connect as connectSecurely } from "node:tls";
import { tmpdir } from "node:os";
import { text } from "node:stream/consumers";
import type { Worker } from "node:worker_threads";
import { expect, onTestFinished, test } from "vitest";
import { TlsFront } from "../../../src/platform/incoming-tls/tls-front.ts";
import { newAuthority } from "../../support/certificates.ts";

const LARGE_BYTES = 3_000_000;
const bounds = { all: 50, ofNetwork: 10, handshakes: 20 };
const authority = await newAuthority("Ours");
const [server, client] = [await authority.issue(), await authority.issue()];

async function start({ port = 0, rejects = true } = {}) {
  const faults: unknown[] = [];
  const app = fastify({ bodyLimit: 2 * LARGE_BYTES });
  app.addContentTypeParser("*", { parseAs: "buffer" }, (_request, body, done) => done(null, body));
  app.post("/", async ({ body }) => await Promise.resolve(body));
  app.get("/", async ({ ip, raw }) => await Promise.resolve({ ip, port: raw.socket.remotePort }));
  const tls = { ...server, ...(rejects ? { ca: authority.cert } : {}) };
  const onFault = (error: unknown): void => void faults.push(error);
  const front = new TlsFront(app, { tls, protocols: ["http/1.1"], bounds, onFault });
  onTestFinished(async () => await app.close());
  const threads: Worker[] = [];
  const note = (worker: Worker): void => void threads.push(worker);
  process.on("worker", note);
  onTestFinished(() => void process.off("worker", note));
  const address = await front.listen({ host: "127.0.0.1", port });
  return { app, faults, threads, port: Number(new URL(address).port) };
}

async function ask(port: number, body?: Buffer, identity: object = client) {
  const options = { port, host: "localhost", ca: authority.cert, agent: false, family: 4, ...identity };
  const asked = requestSecurely({ ...options, method: body ? "POST" : "GET" });
  asked.end(body);
  const [answer] = (await once(asked, "response")) as [IncomingMessage];
  return { localPort: asked.socket?.localPort, answer };
}

test("the server behind sees each client's own address and port", async () => {
  const { port } = await start();
  const all = await Promise.all(Array.from({ length: 8 }, async () => await ask(port)));
  for (const { localPort, answer } of all) {
    expect(JSON.parse(await text(answer))).toEqual({ ip: "127.0.0.1", port: localPort });
  }
});

test("large bodies pass unchanged in both directions, also when they follow the handshake at once", async () => {
  const { port } = await start();
  const body = randomBytes(LARGE_BYTES);
  const { answer } = await ask(port, body);
  const chunks: Buffer[] = [];
  for await (const chunk of answer) chunks.push(chunk as Buffer);
  expect(Buffer.concat(chunks).equals(body)).toBe(true);
});

test("a connection that is not the thread's is ended unheard", async () => {
  const before = new Set(await readdir(tmpdir()));
  const { app } = await start();
  const path = app.server.address() as unknown as string;
  const folder = path.split("/").at(-2) ?? "";
  expect(before.has(folder)).toBe(false);
  const socket = connect({ path });
  socket.write(Buffer.concat([Buffer.alloc(36), Buffer.from("GET / HTTP/1.1\r\nhost: x\r\n\r\n")]));
  expect(await text(socket)).toBe("");
  await app.close();
  expect(await readdir(tmpdir())).not.toContain(folder);
});

test("a thread that ended is replaced on the same port, and the fault is reported", async () => {
  const { faults, threads, port } = await start();
  await threads[0]?.terminate();
  const status = async () =>
    await ask(port).then(
      ({ answer }) => answer.resume().statusCode,
      () => undefined,
    );
  await expect.poll(status, { timeout: 20_000 }).toBe(200);
  expect(faults).toHaveLength(1);
});

test("a port that is taken is the system's error", async () => {
  const { port } = await start();
  await expect(start({ port })).rejects.toMatchObject({ code: "EADDRINUSE" });
});

test("connections of one network are bounded, before and after their handshakes", async () => {
  const { port } = await start();
  const idle = Array.from({ length: bounds.ofNetwork }, () => connect({ port, host: "127.0.0.1" }));
  await Promise.all(idle.map(async (socket) => await once(socket, "connect")));
  await expect(ask(port)).rejects.toThrow(/socket hang up|ECONNRESET|disconnected/);
  const other = await ask(port, undefined, { ...client, localAddress: "127.0.0.2" });
  expect(other.answer.resume().statusCode).toBe(200);
  for (const socket of idle) socket.destroy();
  const status = async () => await ask(port).then(({ answer }) => answer.resume().statusCode, String);
  await expect.poll(status, { timeout: 20_000 }).toBe(200);
});

test("clients that stay when the server has ended their connections keep no others out", async () => {
  const { port } = await start();
  const stay = async (index: number): Promise<void> => {
    const localAddress = `127.0.1.${1 + (index % 10)}`;
    const socket = connect({ port, host: "127.0.0.1", localAddress, allowHalfOpen: true });
    socket.on("error", () => undefined);
    onTestFinished(() => void socket.destroy());
    const ca = authority.cert;
    const secure = connectSecurely({ socket, servername: "localhost", ca, ...client });
    secure.on("error", () => undefined).on("data", () => secure.pause());
    secure.write("GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n");
    await once(secure, "data");
  };
  for (let index = 0; index < bounds.all; index++) await stay(index);
  const status = async () => await ask(port).then(({ answer }) => answer.resume().statusCode, String);
  await expect.poll(status, { timeout: 10_000 }).toBe(200);
});

test("a client without the authority's certificate reaches nothing, unless any may be shown", async () => {
  const [strict, open] = [await start(), await start({ rejects: false })];
  await expect(ask(strict.port, undefined, {})).rejects.toThrow(
    /certificate|socket hang up|ECONNRESET|EPIPE/,
  );
  expect((await ask(open.port, undefined, {})).answer.resume().statusCode).toBe(200);
});
