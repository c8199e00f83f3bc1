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

// Decodes one file after the other, and says what each cost. The decoder has no limit that holds in every part of it.
process.on("message", ({ content, cpuMsMax, bytesMax }: Asked) => {
  const before = used();
  const timer = setInterval(() => {
    const { cpuMs, bytes } = used();
    if (cpuMs - before.cpuMs > cpuMsMax || bytes - before.bytes > bytesMax) end();
  }, CHECK_MS);
  void decode(content).then((decoded) => {
    clearInterval(timer);
    process.send?.({ decoded, cpuMs: used().cpuMs - before.cpuMs });
  });
});
process.once("disconnect", end);
