import { spawn } from "node:child_process";
import { once } from "node:events";
import { openSync } from "node:fs";
import { expect, test } from "vitest";

const LOG = new URL("../../cli/observe/log.ts", import.meta.url).href;

// Each write to it fails as on a full disk. Lines are written once a second: the second one after the first has failed.
const CODE = `
  const { openLog } = await import(${JSON.stringify(LOG)});
  const { log } = openLog("info");
  for (const _ of [1, 2]) {
    log.info({ status: 200 }, "request");
    await new Promise((resolve) => setTimeout(resolve, 1500));
  }
  process.exit(0);
`;

test("a process whose log's disk is full goes on and ends", { timeout: 30_000 }, async () => {
  const stdio = ["ignore", "ignore", openSync("/dev/full", "w")] as const;
  const child = spawn(process.execPath, ["--input-type=module", "-e", CODE], {
    stdio: [...stdio],
    timeout: 20_000,
  });
  expect(await once(child, "exit")).toEqual([0, null]);
});
