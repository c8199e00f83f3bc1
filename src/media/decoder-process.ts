import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { constants, setPriority } from "node:os";
import { decode } from "./decoding.ts";
import type { Asked } from "./decoder.ts";

const CHECK_MS = 50;

/** What this process has used. */
function used(): { readonly cpuMs: number; readonly bytes: number } {
  const { user, system } = process.cpuUsage();
  return { cpuMs: (user + system) / 1000, bytes: process.memoryUsage.rss() };
}

function end(): void {
  // To exit would wait for the thread that decodes.
  process.kill(process.pid, "SIGKILL");
}

/** Lets the service go first: to the processors, and where memory is short this process ends. */
function stepBack(): void {
  for (const step of [
    () => setPriority(constants.priority.PRIORITY_BELOW_NORMAL),
    () => writeFileSync("/proc/self/oom_score_adj", "1000"),
  ]) {
    try {
      step();
    } catch {
      // Not every system has it, or allows it.
    }
  }
}

/** Reads a file. The next one only comes when this one is answered. */
async function read(byteCount: number): Promise<Uint8Array> {
  const parts: Buffer[] = [];
  for (let left = byteCount; left > 0;) {
    const part = process.stdin.read() as Buffer | null;
    if (part === null) {
      await once(process.stdin, "readable");
    } else {
      parts.push(part);
      left -= part.length;
    }
  }
  return Buffer.concat(parts);
}

/** Decodes a file, and says what that cost. The decoder has no limit that holds in every part of it. */
async function answer({ byteCount, cpuMsMax, bytesMax }: Asked): Promise<void> {
  const content = await read(byteCount);
  const before = used();
  const timer = setInterval(() => {
    const { cpuMs, bytes } = used();
    if (cpuMs - before.cpuMs > cpuMsMax || bytes - before.bytes > bytesMax) end();
  }, CHECK_MS);
  const decoded = await decode(content);
  clearInterval(timer);
  process.send?.({ decoded, cpuMs: used().cpuMs - before.cpuMs });
}

stepBack();
process.on("message", (asked: Asked) => void answer(asked));
process.once("disconnect", end);
// What stops the service reaches this process too, and the service waits for the picture.
for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => undefined);
