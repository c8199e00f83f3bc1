import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { FairSemaphore } from "../../../contract/fair-semaphore.ts";
import { threadVariables } from "../../../contract/thread-variables.ts";
import type { ToWorkbookThread, WorkbookRow } from "./workbook-rows.ts";

const THREAD = new URL("workbook-thread.ts", import.meta.url);
const HEAP = { maxOldGenerationSizeMb: 512, maxYoungGenerationSizeMb: 16 };

// Each takes a processor while it is made, and the memory of its rows. The downloads under way are bounded, and with them how
// many wait here.
const workbooks = new FairSemaphore({
  total: 2,
  perKey: 1,
  waitingPerKey: Infinity,
  waitingTotal: Infinity,
  refusal: () => new Error("no workbook is refused"),
});

/** A sheet of a workbook. */
export interface WorkbookSheet {
  /** Up to 31 characters; undefined: the one that the library gives. */
  readonly name: string | undefined;
  readonly rows: AsyncIterable<readonly WorkbookRow[]>;
}

/**
 * Makes a workbook of the rows, the first of which has the titles. It takes a second of CPU time for each 10,000 rows, so it
 * is made in a thread. Those of one tenant are made one after the other, and tenants take turns: the rows of one that waits
 * are not read yet. Throws the signal's reason when it aborts, and then leaves nothing running.
 */
export async function workbook(
  tenantId: string,
  rows: AsyncIterable<readonly WorkbookRow[]>,
  signal: AbortSignal,
): Promise<Uint8Array> {
  return await workbookOf(tenantId, [{ name: undefined, rows }], signal);
}

/** As `workbook`, of several sheets. */
export async function workbookOf(
  tenantId: string,
  sheets: readonly WorkbookSheet[],
  signal: AbortSignal,
): Promise<Uint8Array> {
  return await workbooks.run(tenantId, async () => await make(sheets, signal), signal);
}

async function make(sheets: readonly WorkbookSheet[], signal: AbortSignal): Promise<Uint8Array> {
  signal.throwIfAborted();
  const env = threadVariables();
  const thread = new Worker(THREAD, { name: "workbook", env, execArgv: [], resourceLimits: HEAP });
  try {
    const made = once(thread, "message", { signal });
    // It may fail while rows are still read.
    made.catch(() => undefined);
    const ask = (request: ToWorkbookThread): void => thread.postMessage(request, []);
    for (const { name, rows } of sheets) {
      ask({ kind: "sheet", name });
      for await (const some of rows) {
        signal.throwIfAborted();
        ask({ kind: "rows", rows: some });
      }
    }
    ask({ kind: "make" });
    const [bytes] = (await made) as [Uint8Array];
    return bytes;
  } finally {
    await thread.terminate();
  }
}
