import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";

export const MAIN = join(import.meta.dirname, "..", "..", "cli", "main.ts");

/** A part of the service in a process of its own. */
export interface Part {
  readonly child: ChildProcess;
  /** What it printed so far. */
  readonly output: () => string;
  /** Sends the signal and answers the exit code, or the signal that ended it. */
  readonly end: (signal: NodeJS.Signals) => Promise<number | NodeJS.Signals | null>;
}

/** Starts `paylink serve --role …`, by the code of another checkout if `main` says so; it is on its way when this returns. */
export function startPart(role: string, env: Readonly<Record<string, string>>, main = MAIN): Part {
  return startCommand(["serve", "--role", role], env, main);
}

/** Starts `paylink …`, which does not end by itself. */
export function startCommand(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  main = MAIN,
): Part {
  const child = spawn(process.execPath, [main, ...args], {
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  // A test that fails must not leave it behind.
  const orphan = (): void => void child.kill("SIGKILL");
  process.once("exit", orphan);
  child.once("exit", () => process.off("exit", orphan));
  let text = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (chunk: Buffer) => (text += String(chunk)));
  return {
    child,
    output: () => text,
    end: async (signal) => {
      if (child.exitCode !== null || child.signalCode !== null) return child.exitCode ?? child.signalCode;
      const exited = once(child, "exit");
      child.kill(signal);
      const [code, by] = (await exited) as [number | null, NodeJS.Signals | null];
      return code ?? by;
    },
  };
}
