import { decode } from "./decoding.ts";
import type { Asked } from "./decoder.ts";

const CHECK_MS = 50;

function end(): void {
  // To exit would wait for the thread that decodes.
  process.kill(process.pid, "SIGKILL");
}

// Decodes one file after the other, and says what each cost. The decoder has no limit of time that holds in every part of it.
process.on("message", ({ content, cpuMsMax }: Asked) => {
  const before = process.cpuUsage();
  const cpuMs = (): number => {
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000;
  };
  const timer = setInterval(() => {
    if (cpuMs() > cpuMsMax) end();
  }, CHECK_MS);
  void decode(content).then((decoded) => {
    clearInterval(timer);
    process.send?.({ decoded, cpuMs: cpuMs() });
  });
});
process.once("disconnect", end);
