import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { CoreSettings } from "./core-options.ts";

const SCRIPT = join(import.meta.dirname, "..", "webhooks", "worker-process.ts");
const BUNDLED = join(import.meta.dirname, "bundled.ts");

/** A worker in a process of its own, at work when this resolves. */
export async function startWorkerProcess(databaseUrl: string, settings: CoreSettings): Promise<ChildProcess> {
  const child = spawn(
    process.execPath,
    ["--import", BUNDLED, SCRIPT, databaseUrl, JSON.stringify(settings)],
    {
      stdio: ["ignore", "pipe", "ignore"],
    },
  );
  // A test that fails must not leave it behind.
  const orphan = (): void => void child.kill("SIGKILL");
  process.once("exit", orphan);
  child.once("exit", () => process.off("exit", orphan));
  await once(child.stdout, "data");
  return child;
}

/** Ends it by the signal; resolves when it is gone. */
export async function endProcess(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  const exited = once(child, "exit");
  child.kill(signal);
  await exited;
}
