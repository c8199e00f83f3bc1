import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { makeDataFolder } from "../support/data-folder.ts";
import { startProcess } from "../support/process.ts";
import { isInFull } from "../support/scale.ts";

test.runIf(isInFull)(
  "kill -9 in the middle of concurrent creates loses nothing that was acknowledged",
  async () => {
    const { path: dataDir, remove } = await makeDataFolder();
    const first = await startProcess(dataDir);
    const [{ test_key: key }] = JSON.parse(await readFile(join(dataDir, "demo-keys.json"), "utf8"));
    const create = async (baseUrl: string, name: string) => {
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
    };

    const acknowledged = new Map<string, string>();
    let next = 0;
    let unanswered = 0;
    const client = async (): Promise<void> => {
      for (;;) {
        const name = `create-${next++}`;
        try {
          const { status, text } = await create(first.baseUrl, name);
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
    await Promise.all(Array.from({ length: 16 }, client));
    expect(acknowledged.size).toBeGreaterThanOrEqual(300);
    expect(unanswered).toBe(16);

    const second = await startProcess(dataDir);
    for (const [name, text] of acknowledged) {
      expect(await create(second.baseUrl, name)).toEqual({ status: 201, text, replay: "true" });
    }
    // What was under way is either wholly there or wholly absent: the key answers 201 in both cases.
    for (let index = 0; index < next; index++) {
      expect((await create(second.baseUrl, `create-${index}`)).status).toBe(201);
    }
    expect(await second.end("SIGTERM")).toBe(0);
    await remove();
  },
);
