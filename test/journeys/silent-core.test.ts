import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { makeDataFolder } from "../support/data-folder.ts";
import { cloneDatabase } from "../support/database.ts";
import { freePorts, startProcess, type ServiceProcess } from "../support/process.ts";

const QUOTE = JSON.stringify({ amount: 10_000, currency: "USD", payment_method: "pix" });
const PAYMENTS = "/v1/payments?from=2026-01-01&to=2026-01-31";
const HEALED = { timeout: 60_000, interval: 50 };

/** Two cores and a gateway, each a process. */
let first: ServiceProcess;
let silent: ServiceProcess;
let gateway: ServiceProcess;
let apiKey: string;
let close: () => Promise<void>;

beforeAll(async () => {
  const [database, folder] = [await cloneDatabase(), await makeDataFolder()];
  const ports = await freePorts(2);
  const common = {
    CORE_TOKEN: "token-of-the-cores-themselves",
    DATA_KEY: Buffer.alloc(32, 3).toString("base64"),
    DATABASE_URL: database.url,
    LOG_LEVEL: "warn",
    CORE_HTTP_URL: ports.map((port) => `http://127.0.0.1:${port}`).join(","),
  };
  const start = async (role: "core" | "gateway", env: Record<string, string>) =>
    await startProcess(folder.path, { ...common, ...env }, role);
  [first, silent] = await Promise.all([
    start("core", { CORE_HTTP_PORT: String(ports[0]), PAYLINK_SEED: "demo" }),
    start("core", { CORE_HTTP_PORT: String(ports[1]), PAYLINK_SEED: "none" }),
  ]);
  gateway = await start("gateway", {});
  [{ test_key: apiKey }] = JSON.parse(await readFile(join(folder.path, "demo-keys.json"), "utf8"));
  close = async () => {
    await Promise.all([first, silent, gateway].map(async (part) => await part.end("SIGKILL")));
    await folder.remove();
  };
});
afterAll(async () => await close());

/** Returns the status, and the time that it took in milliseconds. */
async function call(method: "GET" | "POST", path: string): Promise<{ status: number; tookMs: number }> {
  const startedMs = performance.now();
  const { status } = await fetch(`${gateway.baseUrl}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${apiKey}`,
      ...(method === "POST" ? { "content-type": "application/json", "idempotency-key": randomUUID() } : {}),
    },
    ...(method === "POST" ? { body: QUOTE } : {}),
  });
  return { status, tookMs: performance.now() - startedMs };
}

/** Returns how many quotes a core made, by its metrics. */
async function quotesOf({ env }: ServiceProcess): Promise<number> {
  const text = await (await fetch(`http://127.0.0.1:${env["METRICS_PORT"]}/metrics`)).text();
  const counts = text.matchAll(/^paylink_rpc_calls_total\{.*method="CreateQuote".*\} (\d+)$/gm);
  return counts.reduce((sum, [, count]) => sum + Number(count), 0);
}

async function isReady(): Promise<boolean> {
  return (await call("GET", "/readyz")).status === 200;
}

test("while one core of two is silent, reads are answered by the other, writes go to it, and the gateway is ready", async () => {
  silent.child.kill("SIGSTOP");
  const reads = Array.from({ length: 4 }, async () => await call("GET", PAYMENTS));
  expect(await isReady()).toBe(true);
  for (const { status, tookMs } of await Promise.all(reads)) {
    expect(status).toBe(200);
    expect(tookMs).toBeLessThan(10_000);
  }
  for (let index = 0; index < 6; index++) {
    const { status, tookMs } = await call("POST", "/v1/quotes");
    expect(status).toBe(201);
    expect(tookMs).toBeLessThan(5000);
    expect(await isReady()).toBe(true);
  }
});

test("a core that is no longer silent is used again", async () => {
  const before = await quotesOf(first);
  expect(before).toBeGreaterThanOrEqual(6);
  silent.child.kill("SIGCONT");
  const madeByIt = async (): Promise<number> => {
    expect((await call("POST", "/v1/quotes")).status).toBe(201);
    return await quotesOf(silent);
  };
  await expect.poll(madeByIt, HEALED).toBeGreaterThan(0);
  first.child.kill("SIGSTOP");
  // One of the two is sent to it, which lets it rest before a write.
  for (let turn = 0; turn < 2; turn++) expect((await call("GET", PAYMENTS)).status).toBe(200);
  expect((await call("POST", "/v1/quotes")).status).toBe(201);
  expect(await isReady()).toBe(true);
});
