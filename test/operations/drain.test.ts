import { createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { Agent, request, type IncomingMessage } from "node:http";
import { connect } from "node:net";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { LinksService } from "../../gen/paylink/links/v1/links_pb.ts";
import { makeDataFolder } from "../support/data-folder.ts";
import { DatabaseRows } from "../support/database-rows.ts";
import { cloneDatabase } from "../support/database.ts";
import { startProcess, type ServiceProcess } from "../support/process.ts";

const CLIENTS = 12;
const LINK = JSON.stringify({ amount: 5000, currency: "BRL" });

let dataDir: string;
let remove: () => Promise<void>;
let database: { url: string; drop: () => Promise<void> };
let rows: DatabaseRows;
beforeAll(async () => {
  ({ path: dataDir, remove } = await makeDataFolder());
  database = await cloneDatabase();
  rows = await new DatabaseRows(database.url).open();
});
afterAll(async () => {
  await rows.close();
  await remove();
});

async function start(env: Record<string, string> = {}): Promise<ServiceProcess> {
  return await startProcess(dataDir, { DATABASE_URL: database.url, PAYLINK_SEED: "demo", ...env });
}

async function testKey(): Promise<{ id: string; key: string }> {
  const [{ id, test_key: key }] = JSON.parse(await readFile(join(dataDir, "demo-keys.json"), "utf8"));
  return { id, key };
}

/** What a load came to. "failed" is a request that had been sent and got no whole answer, or one of ours. */
interface Tally {
  answered: number;
  refused: number;
  readonly failed: string[];
  /** Ids of links that were acknowledged. */
  readonly links: string[];
}

function tally(): Tally {
  return { answered: 0, refused: 0, failed: [], links: [] };
}

/** Creates links over connections that are kept, one after the other, until no gateway accepts it. */
async function restClient(baseUrl: string, key: string, done: Tally): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  for (;;) {
    try {
      const { status, text } = await post(`${baseUrl}/v1/payment_links`, agent, key);
      if (status !== 201) done.failed.push(`${status} ${text}`);
      done.answered++;
      done.links.push(JSON.parse(text).id);
    } catch (error) {
      const { code, wasSent } = error as { code?: string; wasSent?: boolean };
      if (wasSent) done.failed.push(String(code));
      else done.refused++;
      if (code === "ECONNREFUSED") break;
    }
  }
  agent.destroy();
}

async function post(url: string, agent: Agent, key: string): Promise<{ status: number; text: string }> {
  return await new Promise((resolve, reject) => {
    let wasSent = false;
    const headers = {
      authorization: `Bearer ${key}`,
      "content-type": "application/json",
      "content-length": LINK.length,
      "idempotency-key": crypto.randomUUID(),
    };
    const fail = (error: Error): void => reject(Object.assign(error, { wasSent }));
    const sent = request(url, { method: "POST", agent, headers }, (response: IncomingMessage) => {
      let text = "";
      response.on("data", (chunk: Buffer) => (text += String(chunk)));
      response.on("error", fail);
      response.on("end", () => resolve({ status: response.statusCode ?? 0, text }));
    });
    sent.on("error", fail);
    sent.on("socket", (socket) => {
      if (!socket.connecting) wasSent = true;
      else socket.once("connect", () => (wasSent = true));
    });
    sent.end(LINK);
  });
}

/** Does the same over one h2c connection until no gateway accepts it. */
async function grpcClient(port: string, token: string, tenant: string, done: Tally): Promise<void> {
  const client = createClient(LinksService, createGrpcTransport({ baseUrl: `http://127.0.0.1:${port}` }));
  for (;;) {
    const headers = {
      authorization: `Bearer ${token}`,
      "paylink-tenant": tenant,
      "paylink-mode": "test",
      "idempotency-key": crypto.randomUUID(),
    };
    try {
      const link = await client.createPaymentLink({ amount: 5000n, currency: "BRL" }, { headers });
      done.answered++;
      done.links.push(link.paymentLink?.id ?? "");
    } catch (error) {
      // REFUSED_STREAM is HTTP/2's word for a request that was not begun: gRPC's own clients send it again.
      const isRefused = /ECONNREFUSED|REFUSED_STREAM/.test(String(error));
      if (isRefused) done.refused++;
      else done.failed.push(String(error));
      return;
    }
  }
}

test("SIGTERM under load: each accepted request is answered in full, and what was acknowledged is there", async () => {
  const service = await start();
  const { id, key } = await testKey();
  const token = (await readFile(join(dataDir, "core-token"), "utf8")).trim();
  const [rest, grpc] = [tally(), tally()];
  const load = Promise.all([
    ...Array.from({ length: CLIENTS }, async () => await restClient(service.baseUrl, key, rest)),
    ...Array.from(
      { length: 4 },
      async () => await grpcClient(service.env["CORE_PORT"] ?? "", token, id, grpc),
    ),
  ]);
  await expect
    .poll(() => Math.min(rest.answered, grpc.answered), { timeout: 20_000, interval: 5 })
    .toBeGreaterThan(150);
  const startedMs = performance.now();
  expect(await service.end("SIGTERM")).toBe(0);
  expect(performance.now() - startedMs).toBeLessThan(5000);
  await load;
  expect(rest.failed).toEqual([]);
  expect(grpc.failed).toEqual([]);
  expect(rest.refused).toBeGreaterThanOrEqual(CLIENTS);
  const acknowledged = [...rest.links, ...grpc.links];
  expect(await rows.count("test.payment_link WHERE id = ANY ($1)", [acknowledged])).toBe(acknowledged.length);
  // Nothing was done for a refused request.
  expect(await rows.count("test.payment_link")).toBe(acknowledged.length);
  console.info(`${rest.answered} REST and ${grpc.answered} gRPC requests were answered`);
});

test("SIGTERM: alive, no longer ready and still serving while load balancers look away; a second signal ends it", async () => {
  const service = await start({ DRAIN_DELAY_MS: "60000" });
  const metricsUrl = `http://127.0.0.1:${service.env["METRICS_PORT"]}`;
  const statusOf = async (url: string): Promise<number> => (await fetch(url)).status;
  for (const url of [service.baseUrl, metricsUrl]) {
    expect([await statusOf(`${url}/livez`), await statusOf(`${url}/readyz`)]).toEqual([200, 200]);
  }
  const { key } = await testKey();
  const ended = service.end("SIGTERM");
  await expect.poll(() => statusOf(`${service.baseUrl}/readyz`), { interval: 10 }).toBe(503);
  expect(await statusOf(`${service.baseUrl}/healthz`)).toBe(503);
  expect(await statusOf(`${metricsUrl}/readyz`)).toBe(503);
  expect(await statusOf(`${service.baseUrl}/livez`)).toBe(200);
  expect(await statusOf(`${metricsUrl}/livez`)).toBe(200);
  expect((await post(`${service.baseUrl}/v1/payment_links`, new Agent(), key)).status).toBe(201);
  const again = (): string => {
    service.child.kill("SIGTERM");
    return service.output();
  };
  await expect.poll(again, { interval: 200 }).toContain("ended by a second signal");
  expect(await ended).toBe(1);
});

test("a connection that is kept after a late answer keeps the process no longer", async () => {
  const service = await start({ DRAIN_TIMEOUT_MS: "20000" });
  const { key } = await testKey();
  const socket = connect(Number(new URL(service.baseUrl).port), "127.0.0.1");
  socket.write(
    `POST /v1/payment_links HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nIdempotency-Key: late\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${LINK.length}\r\n\r\n${LINK.slice(0, 5)}`,
  );
  await fetch(`${service.baseUrl}/livez`);
  const startedMs = performance.now();
  const ended = service.end("SIGTERM");
  // The rest comes when the time for kept connections is over.
  await wait(900);
  socket.write(LINK.slice(5));
  const [answer] = (await once(socket, "data")) as [Buffer];
  expect(String(answer)).toMatch(/^HTTP\/1.1 201 /);
  expect(await ended).toBe(0);
  expect(performance.now() - startedMs).toBeLessThan(8000);
});

test("clients that hang keep the process no longer than its limit", async () => {
  const service = await start({ DRAIN_TIMEOUT_MS: "800" });
  const port = Number(new URL(service.baseUrl).port);
  const [silent, half] = [connect(port, "127.0.0.1"), connect(port, "127.0.0.1")];
  for (const socket of [silent, half]) socket.on("error", () => undefined);
  half.write("POST /v1/payment_links HTTP/1.1\r\nHost: x\r\nContent-Length: 5000\r\n\r\n{");
  await fetch(`${service.baseUrl}/livez`);
  const startedMs = performance.now();
  expect(await service.end("SIGTERM")).toBe(0);
  const tookMs = performance.now() - startedMs;
  expect(tookMs).toBeGreaterThan(700);
  expect(tookMs).toBeLessThan(4800);
});
