import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runCommand } from "../support/process.ts";
import { forFile } from "../support/for-file.ts";
import { Served } from "./served.ts";

const on = await forFile(Served.start());
const file = join(on.dataDir, "data-key");
const keys = async () => (await readFile(file, "utf8")).trim().split("\n");

test("a data key is added, rotated to and the former one dropped, with one restart", async () => {
  const [former = ""] = await keys();
  expect(await on.json("data-key", "add")).toMatchObject({ keys: 2 });
  const [next = "", second] = await keys();
  expect([next === former, second]).toEqual([false, former]);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  for (const step of ["rotate", "drop"]) {
    const early = await on.paylink("data-key", step);
    expect([early.code, early.stderr]).toEqual([1, expect.stringContaining("restart it first")]);
  }
  expect(await keys()).toEqual([next, former]);

  await on.service.end("SIGTERM");
  await on.startAgain();
  // The demo's owner has a secret for one-time passwords.
  const rotated = await on.json("data-key", "rotate");
  expect(rotated).toMatchObject({ former_keys: 1, result: "complete" });
  expect(rotated.rows).toBeGreaterThan(1);
  expect(await on.json("data-key", "drop")).toMatchObject({ dropped: 1 });
  expect(await keys()).toEqual([next]);
});

test("where the key is in DATA_KEY, the file is left alone", async () => {
  const env = { ...on.service.env, DATA_KEY: Buffer.alloc(32).toString("base64") };
  const { code, stderr } = await runCommand(["data-key", "add"], env);
  expect([code, stderr]).toEqual([1, expect.stringContaining("The key is in DATA_KEY")]);
});
