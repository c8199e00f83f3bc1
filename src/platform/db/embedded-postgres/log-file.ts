import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";

const TAIL_BYTES = 4_096;
const TAIL_LINES = 12;
const SIZE_BYTES_MAX = 8 * 1024 * 1024;
const CHECK_MS = 60_000;
// The server's messages about itself. Errors of queries may quote values, and are left out.
const OWN_LINE = /^\S+ \S+ \S+ \[\d+\] (?:LOG|WARNING|FATAL|PANIC): /;
const LINE_CHARACTERS_MAX = 300;

/** Returns the path of the server's log. The previous run's log is beside it, with `.1` at its end. */
export function logFileOf(cluster: string): string {
  return join(cluster, "log", "postgres.log");
}

/** Returns the last lines of the log, or "" if it cannot be read. Never throws. */
export async function logTail(file: string): Promise<string> {
  return await readTail(file).catch(() => "");
}

/** Returns those of the log's last lines in which the server reports about itself: they quote no queries. */
export async function ownLogTail(file: string): Promise<string> {
  const lines = (await logTail(file)).split("\n").filter((line) => OWN_LINE.test(line));
  return lines.map((line) => line.slice(0, LINE_CHARACTERS_MAX)).join("\n");
}

async function readTail(file: string): Promise<string> {
  // The unprivileged account owns the file: a link must not lead root to another file.
  const handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW);
  try {
    const { size } = await handle.stat();
    const { buffer, bytesRead } = await handle.read({
      buffer: Buffer.alloc(TAIL_BYTES),
      position: Math.max(0, size - TAIL_BYTES),
    });
    return buffer.toString("utf8", 0, bytesRead).trim().split("\n").slice(-TAIL_LINES).join("\n");
  } finally {
    await handle.close();
  }
}

/** Truncates the log when it is too large, until the returned function is called. */
export function keepLogBounded(file: string): () => void {
  const timer = setInterval(() => void emptyWhenLarge(file).catch(() => undefined), CHECK_MS);
  timer.unref();
  return () => clearInterval(timer);
}

async function emptyWhenLarge(file: string): Promise<void> {
  const handle = await open(file, constants.O_WRONLY | constants.O_NOFOLLOW);
  try {
    if ((await handle.stat()).size > SIZE_BYTES_MAX) await handle.truncate(0);
  } finally {
    await handle.close();
  }
}
