import type { LookupAddress } from "node:dns";
import { once } from "node:events";
import { connect, createServer, type AddressInfo, type Socket } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { expect, onTestFinished, test } from "vitest";
import { connectToFirst } from "../../src/platform/outgoing-tls/first-connection.ts";

// 127.0.0.1 has a server, the same port at 127.0.0.2 refuses at once, as an address of a network that is not there does.
const SERVED = { address: "127.0.0.1", family: 4 };
const REFUSED = { address: "127.0.0.2", family: 6 };
const BLOCKED_SERVER = `
  const { createServer } = require("node:net");
  const { parentPort, workerData } = require("node:worker_threads");
  const server = createServer((socket) => socket.end());
  server.listen({ port: 0, host: "127.0.0.1", backlog: 1 }, () => {
    parentPort.postMessage(server.address().port);
    Atomics.wait(workerData, 0, 0);
  });`;

async function listen(host: string, port = 0): Promise<number> {
  const server = createServer((socket) => socket.end());
  await once(server.listen(port, host), "listening");
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

/** A server that takes no connection until it is released; the system asks it again after a second. */
async function startBlocked(): Promise<{ port: number; release: () => void }> {
  const gate = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  const worker = new Worker(BLOCKED_SERVER, { eval: true, workerData: gate });
  const [port] = (await once(worker, "message")) as [number];
  // Its queue is full.
  const waiting = Array.from({ length: 4 }, () => connect(port, "127.0.0.1").on("error", () => undefined));
  const release = (): void => {
    Atomics.store(gate, 0, 1);
    Atomics.notify(gate, 0);
  };
  onTestFinished(async () => {
    release();
    for (const socket of waiting) socket.destroy();
    await worker.terminate();
  });
  await wait(100);
  return { port, release };
}

async function first(addresses: readonly LookupAddress[], port: number): Promise<Socket> {
  return await new Promise((resolve, reject) => {
    connectToFirst(addresses, port, (failure, socket) => {
      if (!socket) return reject(failure ?? new Error("neither"));
      onTestFinished(() => void socket.destroy());
      resolve(socket);
    });
  });
}

test("an address that is slow is not given up for another one that fails at once", async () => {
  const { port, release } = await startBlocked();
  setTimeout(release, 600);
  const socket = await first([SERVED, REFUSED], port);
  expect(socket.remoteAddress).toBe(SERVED.address);
});

test("while an address is silent the next one is tried, also when several are", async () => {
  const { port } = await startBlocked();
  await listen(REFUSED.address, port);
  const startedMs = performance.now();
  const socket = await first([SERVED, SERVED, SERVED, REFUSED], port);
  expect(socket.remoteAddress).toBe(REFUSED.address);
  // The families take turns.
  expect(performance.now() - startedMs).toBeLessThan(700);
});

test("when all fail, the failure of the first is reported", async () => {
  const port = await listen("127.0.0.3");
  await expect(first([REFUSED, SERVED], port)).rejects.toMatchObject({
    code: "ECONNREFUSED",
    address: REFUSED.address,
  });
  await expect(first([], port)).rejects.toThrow("there is no address");
});

test("once it is ended, it settles nothing and connects to no further address", async () => {
  const { port, release } = await startBlocked();
  const settled: unknown[] = [];
  const end = connectToFirst([SERVED, SERVED], port, (...given) => settled.push(given));
  end();
  release();
  await wait(1300);
  expect(settled).toEqual([]);
});
