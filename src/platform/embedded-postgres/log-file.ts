import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";

const TAIL_BYTES = 4_096;
const TAIL_LINES = 12;
const SIZE_BYTES_MAX = 8 * 1024 * 1024;
const CHECK_MS = 60_000;
// What the server says of itself. Errors of statements may quote values, and are left out.
const OWN_LINE = /^\S+ \S+ \S+ \[\d+\] (?:LOG|WARNING|FATAL|PANIC): /;
const LINE_CHARACTERS_MAX = 300;

/** The server's log; the previous run's lies beside it with `.1` at its end. */
export function logFileOf(cluster: string): string {
  return join(cluster, "log", "postgres.log");
}

/** The last lines of the log; empty when it cannot be read. Never throws. */
export async function logTail(file: string): Promise<string> {
  return await readTail(file).catch(() => "");
}

/** Of the log's last lines those that the server says of itself: they hold nothing of a statement. */
export async function ownLogTail(file: string): Promise<string> {
  const lines = (await logTail(file)).split("\n").filter((line) => OWN_LINE.test(line));
  return lines.map((line) => line.slice(0, LINE_CHARACTERS_MAX)).join("\n");
}

async function readTail(file: string): Promise<string> {
  // The file is the unprivileged account's: root must not be led elsewhere by a link.
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

/** Empties the log whenever it has grown too large, until the returned function is called. */
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
