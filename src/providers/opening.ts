import { once } from "node:events";
import { startKillableProcess } from "../platform/outside/killable-process.ts";

/** What is to be opened: a private key in PEM, with its passphrase if it has one, or PKCS#12. */
export type Asked =
  | { readonly key: string; readonly passphrase?: string }
  | { readonly pfx: Buffer; readonly passphrase: string };

/**
 * What became of it. `text`: the key without its passphrase in PEM, or the certificate of PKCS#12 in base64. "heavy": a key that
 * takes long to sign with, or of another kind than those that are used.
 */
export type Opened =
  | { readonly kind: "read"; readonly text: string }
  | { readonly kind: "unreadable" | "legacy" | "heavy" };

interface Reported {
  readonly opened: Opened;
  readonly cpuMs: number;
}

/** A connection opens PKCS#12 again, on the event loop, so this is how long everything else waits for it. */
const CPU_MS_MAX = 200;
const WAIT_MS_MAX = 5000;
const PROCESS = new URL("opening-process.ts", import.meta.url);

/**
 * Opens a key or PKCS#12, of 64 KiB at most by the request's rules, in a process apart, which is killed if that takes long:
 * only the opening shows what a file costs.
 */
export async function open(asked: Asked): Promise<Opened | { readonly kind: "slow" }> {
  const child = startKillableProcess(PROCESS);
  const timer = setTimeout(() => child.kill("SIGKILL"), WAIT_MS_MAX);
  let reported: Reported | undefined;
  child.on("message", (message) => {
    reported = message as Reported;
  });
  const ended = once(child, "exit");
  // It fails if the process does not start; then it may not be awaited below.
  ended.catch(() => undefined);
  try {
    child.send(asked);
    const [code, signal] = (await ended) as [number | null, NodeJS.Signals | null];
    if (reported) return reported.cpuMs > CPU_MS_MAX ? { kind: "slow" } : reported.opened;
    if (signal === "SIGKILL") return { kind: "slow" };
    throw new Error(`the process that opens keys ended with ${code ?? signal}`);
  } finally {
    clearTimeout(timer);
  }
}
