import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { serverPid } from "../platform/embedded-postgres/probes.ts";
import { makeDataFolder } from "../support/data-folder.ts";
import { runCommand, startProcess } from "../support/process.ts";
import { isInFull, times } from "../support/scale.ts";

const CLIENTS = 16;

async function post(url: string, key: string, idempotencyKey: string, body: object) {
  const response = await fetch(url, {
    method: "POST",
    headers: {
      authorization: `Bearer ${key}`,
      "content-type": "application/json",
      "idempotency-key": idempotencyKey,
    },
    body: JSON.stringify(body),
  });
  return {
    status: response.status,
    text: await response.text(),
    replay: response.headers.get("idempotent-replay"),
  };
}

/** A link with this name as its reference and idempotency key. */
const create = async (baseUrl: string, key: string, name: string) =>
  await post(`${baseUrl}/v1/payment_links`, key, name, { amount: 5000, currency: "BRL", reference: name });

/** A simulated payment of the link that `created` answers, with the key of the link and "-paid". */
const pay = async (baseUrl: string, key: string, name: string, created: string) =>
  await post(`${baseUrl}/v1/payment_links/${JSON.parse(created).id}/simulate_payment`, key, `${name}-paid`, {
    outcome: "succeeded",
  });

async function demoKey(dataDir: string): Promise<string> {
  const [{ test_key: key }] = JSON.parse(await readFile(join(dataDir, "demo-keys.json"), "utf8"));
  return key;
}

test("kill -9 of the embedded PostgreSQL under load: it is started anew, the service goes on, nothing acknowledged is lost", async () => {
  const { path: dataDir, remove } = await makeDataFolder();
  const service = await startProcess(dataDir);
  const key = await demoKey(dataDir);
  const acknowledged = new Map<string, string>();
  const total = times(400, 200);
  let [next, refused, killedMs, backMs] = [0, 0, 0, 0];
  const client = async (): Promise<void> => {
    while (next < total) {
      const name = `create-${next++}`;
      // A merchant asks again under the same key until it knows.
      for (;;) {
        const { status, text } = await create(service.baseUrl, key, name);
        if (status === 201) {
          if (refused > 0) backMs ||= performance.now();
          acknowledged.set(name, text);
          break;
        }
        expect(status).toBe(503);
        refused++;
      }
      if (killedMs === 0 && acknowledged.size >= total / 2) {
        killedMs = performance.now();
        process.kill(await serverPid(join(dataDir, "postgres")), "SIGKILL");
      }
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
  expect(refused).toBeGreaterThan(0);
  console.info(
    `${refused} answers of 503; acknowledged again ${Math.round(backMs - killedMs)} ms after the kill`,
  );
  for (const [name, text] of acknowledged) {
    expect(await create(service.baseUrl, key, name)).toEqual({ status: 201, text, replay: "true" });
  }
  expect((await fetch(`${service.baseUrl}/readyz`)).status).toBe(200);
  expect(await service.end("SIGTERM")).toBe(0);
  const lines = service
    .output()
    .split("\n")
    .filter((line) => line.includes("the database is started anew"));
  expect(lines).toHaveLength(1);
  const { notice } = JSON.parse(lines[0] ?? "{}");
  expect(notice).toMatch(/^PostgreSQL was killed by SIGKILL\.\n.* (LOG|FATAL): /);
  await remove();
});

test.runIf(isInFull())(
  "kill -9 in the middle of concurrent creates and simulated payments loses nothing that was acknowledged",
  async () => {
    const { path: dataDir, remove } = await makeDataFolder();
    const first = await startProcess(dataDir);
    const key = await demoKey(dataDir);

    const created = new Map<string, string>();
    const paid = new Map<string, string>();
    let next = 0;
    let unanswered = 0;
    const client = async (): Promise<void> => {
      for (;;) {
        const name = `create-${next++}`;
        try {
          const link = await create(first.baseUrl, key, name);
          expect(link.status).toBe(201);
          created.set(name, link.text);
          const payment = await pay(first.baseUrl, key, name, link.text);
          expect(payment.status).toBe(200);
          paid.set(name, payment.text);
        } catch (error) {
          if (!(error instanceof TypeError)) throw error;
          unanswered++;
          return;
        }
        if (paid.size === 300) first.child.kill("SIGKILL");
      }
    };
    await Promise.all(Array.from({ length: CLIENTS }, client));
    expect(paid.size).toBeGreaterThanOrEqual(300);
    expect(unanswered).toBe(CLIENTS);

    const second = await startProcess(dataDir);
    for (const [name, text] of created) {
      expect(await create(second.baseUrl, key, name)).toEqual({ status: 201, text, replay: "true" });
      const payment = await pay(second.baseUrl, key, name, text);
      if (paid.has(name)) expect(payment).toEqual({ status: 200, text: paid.get(name), replay: "true" });
      // What was under way is either wholly there or wholly absent: the key answers 200 in both cases.
      else expect(payment.status).toBe(200);
    }
    for (let index = 0; index < next; index++) {
      expect((await create(second.baseUrl, key, `create-${index}`)).status).toBe(201);
    }
    const checked = await runCommand(["ledger", "check", "--mode", "test"], second.env);
    expect(checked).toMatchObject({ code: 0, stderr: "" });
    expect(await second.end("SIGTERM")).toBe(0);
    await remove();
  },
);
