import { utimes } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { makeDataFolder } from "../support/data-folder.ts";
import { freePorts } from "../support/process.ts";
import { openShell } from "../support/shell.ts";

const ROOT = join(import.meta.dirname, "..", "..");
const LISTENING = /info .*listening listener=rest/g;
const WAIT = { timeout: 75_000 };

test("npm run dev has a bank, starts again when a file changes, and ends with all that it started", async () => {
  const { path: DATA_DIR, remove } = await makeDataFolder();
  const [port = 0, core = 0, coreHttp = 0, metrics = 0, bank = 0] = await freePorts(5);
  const shell = await openShell(ROOT, {
    DATA_DIR,
    PORT: String(port),
    CORE_PORT: String(core),
    CORE_HTTP_PORT: String(coreHttp),
    METRICS_PORT: String(metrics),
  });
  onTestFinished(async () => {
    await shell.close();
    await remove();
  });
  const { output, interrupt } = await shell.start(`npm run dev -- --bank-port ${bank}`);
  await expect.poll(output, WAIT).toMatch(/Demo tenants/);
  await expect.poll(output, WAIT).toContain(`http://localhost:${bank}/`);
  const starts = async (): Promise<number> => [...(await output()).matchAll(LISTENING)].length;
  expect(await starts()).toBe(1);

  const now = new Date();
  await utimes(join(ROOT, "src", "rooms.ts"), now, now);
  await expect.poll(starts, WAIT).toBe(2);
  const health = async (): Promise<number> => (await fetch(`http://127.0.0.1:${port}/healthz`)).status;
  await expect.poll(health, WAIT).toBe(200);

  expect([0, 130]).toContain(await interrupt());
  for (const gone of [port, bank]) {
    await expect(fetch(`http://localhost:${gone}`)).rejects.toThrow("fetch failed");
  }
  expect(await output()).toMatch(/stopped\s*$/m);
});
