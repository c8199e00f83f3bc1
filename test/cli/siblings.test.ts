import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { makeDataFolder } from "../support/data-folder.ts";
import { forFile } from "../support/for-file.ts";
import { runCommand, startProcess } from "../support/process.ts";

const BURST = 60;
const PAGE = "/v1/payments?from=2020-01-01&to=2020-01-01";
const WAIT = { timeout: 60_000 };
const ENV = {
  RATE_LIMIT_KEY_PER_SECOND: "1",
  RATE_LIMIT_KEY_BURST: String(BURST),
  DRAIN_DELAY_MS: "0",
};

const folder = await forFile(makeDataFolder().then(({ path, remove }) => ({ path, close: remove })));
const service = await forFile(
  startProcess(folder.path, ENV, "all", ["--workers", "2"]).then((started) =>
    Object.assign(started, { close: async () => void (await started.end("SIGTERM")) }),
  ),
);
const [{ id: tenant, test_key: demoKey }] = JSON.parse(
  await readFile(join(folder.path, "demo-keys.json"), "utf8"),
);

/** Each request has a connection of its own, which the processes take in turns. */
async function request(key: string, path: string, body?: object, idempotencyKey = ""): Promise<Response> {
  const headers = {
    authorization: `Bearer ${key}`,
    connection: "close",
    ...(body ? { "content-type": "application/json", "idempotency-key": idempotencyKey } : {}),
  };
  const given = body ? { method: "POST", headers, body: JSON.stringify(body) } : { headers };
  return await fetch(`${service.baseUrl}${path}`, given);
}

async function newKey(): Promise<{ id: string; key: string }> {
  const words = ["keys", "create", "--tenant", tenant, "--mode", "test", "--json"];
  return JSON.parse((await runCommand(words, service.env)).stdout);
}

async function newLink(amount: number, idempotencyKey: string): Promise<string> {
  const answer = await request(demoKey, "/v1/payment_links", { amount, currency: "BRL" }, idempotencyKey);
  return ((await answer.json()) as { id: string }).id;
}

/** Returns the sum of a metric's values whose line has these labels. */
async function metric(name: string, labels = ""): Promise<number> {
  const text = await (await fetch(`http://127.0.0.1:${service.env["METRICS_PORT"]}/metrics`)).text();
  const lines = text.split("\n").filter((line) => line.startsWith(name) && line.includes(labels));
  return lines.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(" "))), 0);
}

/** Returns the processes that serve: those of the primary that run the same program. */
async function siblings(): Promise<number[]> {
  const { stdout } = await promisify(execFile)("ps", ["-A", "-o", "pid=,ppid=,args="]);
  const rows = stdout.split("\n").map((line) => line.trim().split(/\s+/));
  const own = rows.filter(
    ([, parent, ...args]) => parent === String(service.child.pid) && args.includes("serve"),
  );
  return own.map(([pid]) => Number(pid));
}

test("two processes serve one port, and one of them creates the demo and works in the background", async () => {
  await expect.poll(() => metric("paylink_siblings"), WAIT).toBe(2);
  expect(await siblings()).toHaveLength(2);
  expect(service.output().match(/Demo tenants/g)).toHaveLength(1);
  const id = await newLink(5000, "a");
  const paid = await request(
    demoKey,
    `/v1/payment_links/${id}/simulate_payment`,
    { outcome: "succeeded" },
    "b",
  );
  expect(paid.status).toBe(200);
});

test("requests of one idempotency key at both processes come to one answer", async () => {
  const create = async () => {
    const answer = await request(demoKey, "/v1/payment_links", { amount: 7000, currency: "BRL" }, "one");
    return [answer.status, await answer.text()];
  };
  const answers = await Promise.all(Array.from({ length: 8 }, create));
  expect(new Set(answers.map(String)).size).toBe(1);
  expect(answers[0]?.[0]).toBe(201);
});

test("/metrics adds up what both have served, and a revoked key is refused by both at once", async () => {
  const { id, key } = await newKey();
  const labels = 'route="/v1/payments"';
  const before = await metric("paylink_http_requests_total", labels);
  const statuses = new Set<number>();
  for (let count = 0; count < 10; count++) statuses.add((await request(key, PAGE)).status);
  expect([...statuses]).toEqual([200]);
  await expect.poll(() => metric("paylink_http_requests_total", labels), WAIT).toBe(before + 10);
  await runCommand(["keys", "revoke", id], service.env);
  for (let count = 0; count < 4; count++) expect((await request(key, PAGE)).status).toBe(401);
});

test("a key's rate limit is one for both", async () => {
  const { key } = await newKey();
  let admitted = 0;
  for (let count = 0; count < 2 * BURST; count++) {
    if ((await request(key, PAGE)).status !== 429) admitted++;
  }
  expect(admitted).toBe(BURST);
});

test("one that is killed is replaced while the other serves, and no count falls", async () => {
  const served = await metric("paylink_rpc_calls_total");
  const [first = 0] = await siblings();
  process.kill(first, "SIGKILL");
  // One connection may be on its way to it: it is cut, and not left open.
  const get = async () =>
    await request(demoKey, PAGE).then(
      ({ status }) => status,
      () => "cut",
    );
  const statuses: unknown[] = [];
  for (let count = 0; count < 10; count++) statuses.push(await get());
  expect(statuses.filter((status) => status === 200).length).toBeGreaterThanOrEqual(9);
  await expect.poll(() => metric("paylink_sibling_restarts_total"), WAIT).toBe(1);
  await expect.poll(() => metric("paylink_siblings"), WAIT).toBe(2);
  expect(await siblings()).not.toContain(first);
  expect(await metric("paylink_rpc_calls_total")).toBeGreaterThanOrEqual(served);
});

test("a signal drains both and ends them, with exit code 0", async () => {
  const page = await fetch(`${service.baseUrl}/pay/${await newLink(5000, "c")}`);
  expect(page.status).toBe(200);
  expect(await service.end("SIGTERM")).toBe(0);
  expect(service.output()).not.toMatch(/could not stop|"level":"fatal"/);
  expect(await siblings()).toEqual([]);
});
