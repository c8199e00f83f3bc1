import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { serverPid } from "../platform/embedded-postgres/probes.ts";
import { makeDataFolder } from "../support/data-folder.ts";
import { startProcess } from "../support/process.ts";
import { isInFull, times } from "../support/scale.ts";

const CLIENTS = 16;

/** A link with this name as its reference and idempotency key. */
async function create(baseUrl: string, key: string, name: string) {
  const response = await fetch(`${baseUrl}/v1/payment_links`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${key}`,
      "content-type": "application/json",
      "idempotency-key": name,
    },
    body: JSON.stringify({ amount: 5000, currency: "BRL", reference: name }),
  });
  return {
    status: response.status,
    text: await response.text(),
    replay: response.headers.get("idempotent-replay"),
  };
}

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

test.runIf(isInFull)(
  "kill -9 in the middle of concurrent creates loses nothing that was acknowledged",
  async () => {
    const { path: dataDir, remove } = await makeDataFolder();
    const first = await startProcess(dataDir);
    const key = await demoKey(dataDir);

    const acknowledged = new Map<string, string>();
    let next = 0;
    let unanswered = 0;
    const client = async (): Promise<void> => {
      for (;;) {
        const name = `create-${next++}`;
        try {
          const { status, text } = await create(first.baseUrl, key, name);
          expect(status).toBe(201);
          acknowledged.set(name, text);
        } catch (error) {
          if (!(error instanceof TypeError)) throw error;
          unanswered++;
          return;
        }
        if (acknowledged.size === 300) first.child.kill("SIGKILL");
      }
    };
    await Promise.all(Array.from({ length: CLIENTS }, client));
    expect(acknowledged.size).toBeGreaterThanOrEqual(300);
    expect(unanswered).toBe(CLIENTS);

    const second = await startProcess(dataDir);
    for (const [name, text] of acknowledged) {
      expect(await create(second.baseUrl, key, name)).toEqual({ status: 201, text, replay: "true" });
    }
    // What was under way is either wholly there or wholly absent: the key answers 201 in both cases.
    for (let index = 0; index < next; index++) {
      expect((await create(second.baseUrl, key, `create-${index}`)).status).toBe(201);
    }
    expect(await second.end("SIGTERM")).toBe(0);
    await remove();
  },
);
