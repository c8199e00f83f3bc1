import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { link, readFile, readlink, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { hasCode, isAlive } from "./file-system.ts";

/** The contents of a server's `postmaster.pid`. */
export interface LockFile {
  /** NaN if a power cut left the file empty. */
  readonly pid: number;
  readonly socketDir: string;
  /** `starting`, `ready` or `stopping`; empty before the server has written it. */
  readonly status: string;
  readonly text: string;
  readonly ageMs: number;
}

/** Another server uses the data folder. */
export class FolderInUse extends Error {}

const FILE = "postmaster.pid";
const READY_MS_MAX = 2_000;
const EMPTY_MS_MAX = 1_000;
const POLL_MS = 20;

export async function readLockFile(cluster: string): Promise<LockFile | undefined> {
  try {
    const path = join(cluster, FILE);
    const [text, { mtimeMs }] = await Promise.all([readFile(path, "utf8"), stat(path)]);
    const lines = text.split("\n").map((line) => line.trim());
    const pid = Number.parseInt(lines[0] ?? "", 10);
    return { pid, socketDir: lines[4] ?? "", status: lines[7] ?? "", text, ageMs: Date.now() - mtimeMs };
  } catch (error) {
    if (hasCode(error, "ENOENT")) return undefined;
    throw error;
  }
}

/**
 * Waits until no server uses the folder. Returns the lock file of a crashed server, or undefined if there is none.
 * Throws FolderInUse if a server uses it until the deadline (in `performance.now()` terms), or is ready and clearly stays.
 */
export async function awaitFreeFolder(cluster: string, deadlineMs: number): Promise<LockFile | undefined> {
  let readySinceMs: number | undefined;
  for (;;) {
    const lock = await readLockFile(cluster);
    if (lock === undefined) return undefined;
    const now = performance.now();
    if (await isStale(lock, cluster)) {
      if (Number.isNaN(lock.pid) || isAlive(lock.pid)) await setAside(cluster, lock.text);
      return lock;
    }
    readySinceMs = lock.status === "ready" ? (readySinceMs ?? now) : undefined;
    if (now > deadlineMs || (readySinceMs !== undefined && now - readySinceMs > READY_MS_MAX)) {
      throw new FolderInUse(
        `The data folder ${cluster} is in use by another PostgreSQL server (process ${lock.pid}, ` +
          `${lock.status || "starting"}): stop that one, or choose another data folder.`,
      );
    }
    await delay(POLL_MS);
  }
}

/** Returns true if no server of this folder has the lock file any more. */
export async function isStale({ pid, ageMs }: LockFile, cluster: string): Promise<boolean> {
  // PostgreSQL writes its id as soon as it has created the file: only a power cut leaves it without one.
  if (Number.isNaN(pid)) return ageMs > EMPTY_MS_MAX;
  return !isAlive(pid) || !(await isServerOf(pid, cluster));
}

/** Returns true if the process is a server of this folder: after a crash, another program may have its id. */
async function isServerOf(pid: number, cluster: string): Promise<boolean> {
  // A server's working folder is its data folder. Only another user's process hides it.
  if (process.platform === "linux") {
    return (await readlink(`/proc/${pid}/cwd`).catch(() => undefined)) === cluster;
  }
  return (await commandOf(pid)).includes(cluster);
}

function commandOf(pid: number): Promise<string> {
  return new Promise((resolve) => {
    execFile("ps", ["-ww", "-o", "command=", "-p", String(pid)], (_error, stdout) => resolve(stdout));
  });
}

/** Removes a stale lock file, but restores one that another server has created meanwhile. */
async function setAside(cluster: string, staleText: string): Promise<void> {
  const aside = join(cluster, `${FILE}.${randomBytes(6).toString("hex")}`);
  try {
    await rename(join(cluster, FILE), aside);
  } catch (error) {
    if (hasCode(error, "ENOENT")) return;
    throw error;
  }
  if ((await readFile(aside, "utf8")) !== staleText) await link(aside, join(cluster, FILE));
  await rm(aside, { force: true });
}
