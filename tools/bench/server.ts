import { spawn } from "node:child_process";
import { once } from "node:events";
import { openSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { setTimeout as delay } from "node:timers/promises";

const START_MS = 30_000;
const RETRY_MS = 50;

/** A service under load. `key` is an API key of test mode in its database. */
export interface Server {
  readonly name: string;
  readonly pid: number;
  readonly address: string;
  readonly key: string;
  stop(): Promise<void>;
}

export interface ServerOptions {
  readonly name: string;
  /** The script with its arguments. It listens on the port that the variable PORT names. */
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly key: string;
  /** The file of its log, which is part of what is measured. */
  readonly logFile: string;
}

/** Starts a service. Resolves when it answers requests. Throws if it ends before. */
export async function startServer({ name, command, env, key, logFile }: ServerOptions): Promise<Server> {
  const port = await freePort();
  const log = openSync(logFile, "a");
  const child = spawn(process.execPath, command, {
    env: { ...process.env, ...env, PORT: String(port), NODE_ENV: "production" },
    stdio: ["ignore", log, log],
  });
  const address = `http://127.0.0.1:${port}`;
  const until = Date.now() + START_MS;
  while (!(await answers(address, key))) {
    if (child.exitCode !== null || Date.now() > until) throw new Error(`${name} does not start: ${logFile}`);
    await delay(RETRY_MS);
  }
  const stop = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, "exit");
    child.kill();
    await gone;
  };
  return { name, pid: child.pid as number, address, key, stop };
}

/** Returns a port that is free now. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

export function headersOf(key: string): Record<string, string> {
  return { authorization: `Bearer ${key}`, "content-type": "application/json" };
}

async function answers(address: string, key: string): Promise<boolean> {
  const url = `${address}/v1/payments?from=2020-01-01&to=2020-01-01&limit=20`;
  return await fetch(url, { headers: headersOf(key) }).then(
    ({ ok }) => ok,
    () => false,
  );
}
