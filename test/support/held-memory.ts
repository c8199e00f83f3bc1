import { memoryUsage } from "node:process";
import { setTimeout as wait } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

const MIB = 1024 * 1024;
const PAUSE_MS = 1000;
// How much longer than a collection the work goes on undisturbed.
const PAUSE_FACTOR = 6;
const SWEEP_MS = 20;

// A context that is made after the flag has the collector's function.
setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

/** Memory that is in use once garbage is collected: the heap, and buffers and texts outside of it. */
function collectedBytes(): number {
  collect();
  // Buffers (arrayBuffers) are part of what is external.
  const { heapUsed, external } = memoryUsage();
  return heapUsed + external;
}

/**
 * The memory that is held now, or less than `enough`. What is outside of the heap is given back a little after its
 * object, and only at the next collection is it counted so: one that finds less than `enough` needs no second.
 */
async function heldBytes(enough = 0): Promise<number> {
  const atMost = collectedBytes();
  if (atMost < enough) return atMost;
  await wait(SWEEP_MS);
  return collectedBytes();
}

/**
 * Does a work and returns by how many MiB what is held grew meanwhile, at its most. The memory of the process would say
 * little of it: it grows by whatever the collector has not come to yet.
 */
export async function growthWhile<Result>(
  work: () => Promise<Result>,
): Promise<{ result: Result; heldMib: number; sampleCount: number }> {
  const before = await heldBytes();
  let [peak, sampleCount] = [before, 0];
  const over = new AbortController();
  const sampled = (async () => {
    while (!over.signal.aborted) {
      const startedAt = performance.now();
      peak = Math.max(peak, await heldBytes(peak));
      sampleCount++;
      const pauseMs = Math.max(PAUSE_MS, PAUSE_FACTOR * (performance.now() - startedAt));
      await wait(pauseMs, undefined, { signal: over.signal }).catch(() => undefined);
    }
  })();
  try {
    const result = await work();
    return { result, heldMib: (peak - before) / MIB, sampleCount };
  } finally {
    over.abort();
    await sampled;
  }
}
