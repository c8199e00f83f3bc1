import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { identityOf } from "../../../src/platform/db/embedded-postgres/account.ts";
import type { Account } from "../../../src/platform/db/embedded-postgres/account.ts";

export const HOLDER = fileURLToPath(new URL("./launch-and-hold.ts", import.meta.url));

/** Another Node process that launches PostgreSQL on the folder. */
export function startHolder(dataDir: string, account?: Account) {
  const child = spawn(process.execPath, [HOLDER, dataDir], {
    cwd: "/",
    stdio: ["pipe", "pipe", "inherit"],
    ...identityOf(account),
  });
  const exited = once(child, "exit");
  return {
    async connectionString(): Promise<string> {
      for await (const line of createInterface(child.stdout)) return String(JSON.parse(line));
      throw new Error("The other process ended before its server was ready.");
    },
    async kill(): Promise<void> {
      child.kill("SIGKILL");
      await exited;
    },
    async stop(): Promise<void> {
      child.stdin.end();
      await exited;
    },
  };
}
