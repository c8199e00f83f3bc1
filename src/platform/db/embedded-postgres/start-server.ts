import { setTimeout as delay } from "node:timers/promises";
import type { Account } from "./account.ts";
import { awaitFreeFolder, readLockFile } from "./lock-file.ts";
import { logFileOf, logTail } from "./log-file.ts";
import { serverArguments } from "./server-settings.ts";
import { isSocketFolder } from "./socket-folder.ts";
import { superviseServer } from "./supervised-server.ts";
import type { SupervisedServer } from "./supervised-server.ts";

export interface StartServerOptions {
  readonly account: Account | undefined;
  readonly postgres: string;
  readonly cluster: string;
  readonly settings: Readonly<Record<string, string>>;
  /** An empty folder, for this server only. */
  readonly socketDir: string;
  readonly onSpawned: (() => void) | undefined;
}

const RETRY_MS_MAX = 10_000;
const RETRY_PAUSE_MS = 50;
const POLL_MS = 10;

/**
 * Starts the server and waits until it accepts connections, however long its recovery takes. If the start is refused
 * because an old server is still ending, it is retried for 10 s. Throws with the last lines of its log.
 */
export async function startServer(options: StartServerOptions): Promise<SupervisedServer> {
  const deadlineMs = performance.now() + RETRY_MS_MAX;
  for (;;) {
    const stale = await awaitFreeFolder(options.cluster, deadlineMs);
    const server = spawnServer(options, stale?.socketDir ?? "");
    options.onSpawned?.();
    if (await becomesReady(server, options.cluster)) return server;
    await server.gone;
    const tail = await logTail(logFileOf(options.cluster));
    if (!isRefusal(tail) || performance.now() > deadlineMs) {
      throw new Error(`PostgreSQL did not start: it ${await server.exited}.\n${tail}`);
    }
    await delay(RETRY_PAUSE_MS);
  }
}

function spawnServer(options: StartServerOptions, staleDir: string): SupervisedServer {
  const { account, postgres, cluster, settings, socketDir } = options;
  const staleSocketDir = isSocketFolder(staleDir) && staleDir !== socketDir ? staleDir : "";
  const command = [postgres, ...serverArguments(cluster, socketDir, settings)];
  const logFile = logFileOf(cluster);
  return superviseServer({ account, command, socketDir, logFile, staleSocketDir });
}

/** Returns true when the server accepts connections, or false if it has ended before. */
async function becomesReady(server: SupervisedServer, cluster: string): Promise<boolean> {
  let running = true;
  void server.exited.then(() => (running = false));
  while (running) {
    const lock = await readLockFile(cluster);
    if (lock?.pid === server.pid && lock.status === "ready") return running;
    await delay(POLL_MS);
  }
  return false;
}

/** Returns true if the server found another one that is ending, by its lock file or its shared memory. */
function isRefusal(tail: string): boolean {
  return /lock file ".*" (already exists|is empty)|pre-existing shared memory block/.test(tail);
}
