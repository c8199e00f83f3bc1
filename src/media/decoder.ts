import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import type { Socket } from "node:net";
import { startKillableProcess } from "../platform/outside/killable-process.ts";
import type { Decoded } from "./decoding.ts";

/** The size of a file, which comes by the standard input, and what its decoding may cost. */
export interface Asked {
  readonly byteCount: number;
  readonly cpuMsMax: number;
  readonly bytesMax: number;
}

/** What became of a file, and what that cost. "late": it had too little of a busy machine. "endless": it cost too much. */
export interface Reported {
  readonly decoded: Decoded | "late" | "endless";
  readonly cpuMs: number;
}

/** What the service's process waits for when it would end, or not. */
interface Handle {
  ref(): unknown;
  unref(): unknown;
}

// The largest pictures take 2500 ms, on a slow machine, and 330 MB.
const MAX = { cpuMsMax: 4000, bytesMax: 600_000_000 };
// Below the time of the call.
const WAIT_MS_MAX = 15_000;
// A process has some 80 MB. Merchants send their pictures together.
const IDLE_MS_MAX = 60_000;
const PROCESS = new URL("decoder-process.ts", import.meta.url);

/** The processes that wait for a file, each with the timer of its end. */
const idle = new Map<ChildProcess, NodeJS.Timeout>();

/** Decodes a file in a process apart, which is killed if that takes long: no limit of the decoder holds in all of its parts. */
export async function decodedApart(content: Uint8Array): Promise<Reported> {
  const child = taken() ?? started();
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    child.kill("SIGKILL");
  }, WAIT_MS_MAX);
  const over = new AbortController();
  const exit = once(child, "exit", over) as Promise<[number | null, NodeJS.Signals | null]>;
  const answer = once(child, "message", over) as Promise<[Reported]>;
  try {
    child.send({ byteCount: content.length, ...MAX } satisfies Asked);
    // In a message the bytes would be copied at once, which takes longer than a request.
    child.stdin?.write(content);
    const [reported, signal] = await Promise.race([answer, exit]);
    if (typeof reported === "object" && reported !== null) {
      keep(child);
      return reported;
    }
    if (isLate) return { decoded: "late", cpuMs: MAX.cpuMsMax };
    if (signal === "SIGKILL") return { decoded: "endless", cpuMs: MAX.cpuMsMax };
    throw new Error(`the process that decodes pictures ended with ${reported ?? signal}`);
  } finally {
    clearTimeout(timer);
    over.abort();
  }
}

function started(): ChildProcess {
  const child = startKillableProcess(PROCESS, "pipe");
  // A process may be ended from outside, also while it is idle.
  child.once("exit", () => clear(child));
  for (const each of [child, child.stdin]) each?.on("error", () => clear(child));
  return child;
}

function taken(): ChildProcess | undefined {
  const [child] = idle.keys();
  if (!child) return undefined;
  clear(child);
  for (const each of handlesOf(child)) each?.ref();
  return child;
}

function clear(child: ChildProcess): void {
  clearTimeout(idle.get(child));
  idle.delete(child);
}

/** Keeps a process for the next file, for a while. The service ends without waiting for it, and it ends with the service. */
function keep(child: ChildProcess): void {
  const timer = setTimeout(() => {
    clear(child);
    child.disconnect();
  }, IDLE_MS_MAX);
  idle.set(child, timer.unref());
  for (const each of handlesOf(child)) each?.unref();
}

function handlesOf(child: ChildProcess): (Handle | null | undefined)[] {
  return [child, child.channel, child.stdin as Socket | null];
}
