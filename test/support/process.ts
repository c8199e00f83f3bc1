import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import type { Role } from "../../cli/serve/role.ts";
import { MAIN, startCommand, type Part } from "./part.ts";

const READY_MS = 75_000;
const POLL_MS = 20;

/** The service as its own process, as `npm start` runs it. */
export interface ServiceProcess extends Part {
  readonly baseUrl: string;
  readonly env: Readonly<Record<string, string>>;
}

// Below those that systems give to connections: one of these could be a connection's by the time that it is listened on.
const PORTS = { first: 10_240, count: 22_528 };
// Each process of a run begins at another one.
let lastPort = process.pid * 251;

/** Returns ports without a listener. */
export async function freePorts(count: number): Promise<number[]> {
  const ports: number[] = [];
  while (ports.length < count) {
    const port = PORTS.first + (++lastPort % PORTS.count);
    if (await isFree(port)) ports.push(port);
  }
  return ports;
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, "127.0.0.1");
  try {
    await once(server, "listening");
  } catch {
    return false;
  }
  await once(server.close(), "close");
  return true;
}

/**
 * Starts `paylink serve`, or one part of it, with these options, on the data folder and waits until it is ready. `main`:
 * by the code of another checkout.
 */
export async function startProcess(
  dataDir: string,
  env: Readonly<Record<string, string>> = {},
  role: Role = "all",
  options: readonly string[] = [],
  main = MAIN,
): Promise<ServiceProcess> {
  const [port, corePort, coreHttpPort, metricsPort] = await freePorts(4);
  const own = {
    PORT: String(port),
    CORE_PORT: String(corePort),
    CORE_HTTP_PORT: String(coreHttpPort),
    METRICS_PORT: String(metricsPort),
    DATA_DIR: dataDir,
    ...env,
  };
  const part = startCommand(["serve", "--role", role, ...options], own, main);
  const baseUrl = `http://127.0.0.1:${port}`;
  await untilReady(part.child, `http://127.0.0.1:${own.METRICS_PORT}`, part.output);
  return { ...part, baseUrl, env: own };
}

async function untilReady(child: ChildProcess, probes: string, output: () => string): Promise<void> {
  const deadline = Date.now() + READY_MS;
  while (Date.now() < deadline) {
    if (child.exitCode !== null) throw new Error(`the service ended: ${output()}`);
    const response = await fetch(`${probes}/readyz`).catch(() => undefined);
    if (response?.ok) return;
    await new Promise((resolve) => {
      setTimeout(resolve, POLL_MS);
    });
  }
  throw new Error(`the service was not ready in time: ${output()}`);
}

/** What a command came to. */
export interface CommandResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs `paylink …` to its end. */
export async function runCommand(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<CommandResult> {
  return await runProgram(process.execPath, [MAIN, ...args], env);
}

/** Runs a program to its end, with these variables besides this process's own. */
export async function runProgram(
  file: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<CommandResult> {
  const child = spawn(file, args, {
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let [stdout, stderr] = ["", ""];
  child.stdout.on("data", (chunk: Buffer) => (stdout += String(chunk)));
  child.stderr.on("data", (chunk: Buffer) => (stderr += String(chunk)));
  const [code] = (await once(child, "close")) as [number | null];
  return { code, stdout, stderr };
}
