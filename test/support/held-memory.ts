import { memoryUsage } from "node:process";
import { setTimeout as wait } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

const MIB = 1024 * 1024;
const PAUSE_MS = 1000;
const SWEEP_MS = 20;

// A context that is made after the flag has the collector's function.
setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

/** Memory that is in use once garbage is collected: the heap, and buffers and texts outside of it. */
async function heldBytes(): Promise<number> {
  collect();
  // What is outside of the heap is given back a little after its object, and only the next time is it counted so.
  await wait(SWEEP_MS);
  collect();
  // Buffers (arrayBuffers) are part of what is external.
  const { heapUsed, external } = memoryUsage();
  return heapUsed + external;
}

/**
 * Does a work and returns by how many MiB what is held grew meanwhile, at its most. The memory of the process would say
 * little of it: it grows by whatever the collector has not come to yet.
 */
export async function growthWhile<Result>(
  work: () => Promise<Result>,
): Promise<{ result: Result; heldMib: number; sampleCount: number }> {
  const before = await heldBytes();
  let [peak, sampleCount, isOver] = [before, 0, false];
  const sampled = (async () => {
    while (!isOver) {
      peak = Math.max(peak, await heldBytes());
      sampleCount++;
      if (!isOver) await wait(PAUSE_MS);
    }
  })();
  try {
    const result = await work();
    return { result, heldMib: (peak - before) / MIB, sampleCount };
  } finally {
    isOver = true;
    await sampled;
  }
}
