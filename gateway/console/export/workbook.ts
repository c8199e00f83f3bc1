import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { threadVariables } from "../../../contract/thread-variables.ts";
import type { ToWorkbookThread, WorkbookRow } from "./workbook-rows.ts";

const THREAD = new URL("workbook-thread.ts", import.meta.url);
const HEAP = { maxOldGenerationSizeMb: 512, maxYoungGenerationSizeMb: 16 };

let latest: Promise<unknown> = Promise.resolve();

/**
 * Makes a workbook of the rows, the first of which has the titles. It takes a second of CPU time for each 10,000 rows, so it
 * is made in a thread, and one after the other: the next one's rows are not read before. Throws the signal's reason when
 * it aborts, and then leaves nothing running.
 */
export async function workbook(
  rows: AsyncIterable<readonly WorkbookRow[]>,
  signal: AbortSignal,
): Promise<Uint8Array> {
  const made = latest.then(async () => await make(rows, signal));
  latest = made.catch(() => undefined);
  return await made;
}

async function make(rows: AsyncIterable<readonly WorkbookRow[]>, signal: AbortSignal): Promise<Uint8Array> {
  signal.throwIfAborted();
  const env = threadVariables();
  const thread = new Worker(THREAD, { name: "workbook", env, execArgv: [], resourceLimits: HEAP });
  try {
    const made = once(thread, "message", { signal });
    // It may fail while rows are still read.
    made.catch(() => undefined);
    const ask = (request: ToWorkbookThread): void => thread.postMessage(request, []);
    for await (const some of rows) {
      signal.throwIfAborted();
      ask({ kind: "rows", rows: some });
    }
    ask({ kind: "make" });
    const [bytes] = (await made) as [Uint8Array];
    return bytes;
  } finally {
    await thread.terminate();
  }
}
