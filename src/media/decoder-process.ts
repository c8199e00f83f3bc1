import { decode } from "./decoding.ts";

const CHECK_MS = 50;

/** A file, and what its decoding may cost. */
export interface Asked {
  readonly content: Uint8Array;
  readonly cpuMsMax: number;
}

function end(): void {
  // To exit would wait for the thread that decodes.
  process.kill(process.pid, "SIGKILL");
}

// Decodes one file, and says what that cost. The decoder has no limit of time that holds in every part of it.
process.once("message", ({ content, cpuMsMax }: Asked) => {
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
    process.removeListener("disconnect", end);
    process.disconnect?.();
  });
});
process.once("disconnect", end);
