import { setTimeout as passes } from "node:timers/promises";
import type pg from "pg";
import type { Outcome } from "./claim.ts";
import { PaylinkError } from "../rpc/errors.ts";
import { outcomeLookups } from "./outcome-lookups.ts";

/** The time for which a key's outcome is stored, in seconds. */
export const RETENTION_SECONDS = 24 * 60 * 60;

const WAIT_LIMIT_MS = 10_000;

// A response that is going to be replaced is waited for so long: its process may be gone.
const AWAITED_READS = 50;
const AWAITED_READ_MS = 100;

/**
 * Returns the outcome stored under a key, or undefined if none is valid at `now`. Waits for one that is going to be
 * replaced. One that was waited for in vain stays as it is from then on, as it is an answer now.
 */
export async function storedOutcome(
  pool: pg.Pool,
  tenantId: string,
  key: string,
  now: Date,
  readsMax = AWAITED_READS,
): Promise<Outcome | undefined> {
  for (let reads = 1; ; reads++) {
    const stored = await outcomeLookups(pool).find({ tenantId, key, now });
    if (!stored) return undefined;
    const { isAwaited, ...outcome } = stored;
    if (!isAwaited) return outcome;
    // It is read once more: its replacement may have been first.
    if (reads >= readsMax) await keepResponse(pool, tenantId, key, outcome);
    else await passes(AWAITED_READ_MS);
  }
}

async function keepResponse(
  pool: pg.Pool,
  tenantId: string,
  key: string,
  { requestId }: Pick<Outcome, "requestId">,
): Promise<void> {
  await pool.query({
    name: "keep response",
    text: `UPDATE idempotency SET is_awaited = false
      WHERE tenant_id = $1 AND key = $2 AND request_id = $3 AND is_awaited`,
    values: [tenantId, key, requestId],
  });
}

/**
 * Puts another response in place of the one that a request stored under its key. Returns false if the stored one is an
 * answer already: a replay did not wait any longer.
 */
export async function replaceResponse(
  pool: pg.Pool,
  {
    tenantId,
    key,
    requestId,
  }: { readonly tenantId: string; readonly key: string; readonly requestId: string },
  response: Uint8Array,
): Promise<boolean> {
  const { rowCount } = await pool.query({
    name: "replace response",
    text: `UPDATE idempotency SET response = $4, is_awaited = false
      WHERE tenant_id = $1 AND key = $2 AND request_id = $3 AND is_awaited`,
    values: [tenantId, key, requestId, response],
  });
  return rowCount === 1;
}

/**
 * Runs one request of a key while its duplicates in this process wait for the outcome, so that they hold no connection.
 * Duplicates in other processes wait for the lock on the claim's row.
 */
export class InFlight {
  readonly #running = new Map<string, Promise<Outcome | undefined>>();
  readonly #waitMs: number;

  constructor(waitMs = WAIT_LIMIT_MS) {
    this.#waitMs = waitMs;
  }

  /**
   * Runs `work`, or waits for the running one. Returns undefined if `work` ran here, else the other's outcome. Error:
   * service_unavailable if the other takes too long.
   */
  async join(key: string, work: () => Promise<Outcome>): Promise<Outcome | undefined> {
    for (;;) {
      const running = this.#running.get(key);
      if (!running) {
        const settled = work();
        const quiet = settled.catch(() => undefined);
        this.#running.set(key, quiet);
        try {
          await settled;
          return undefined;
        } finally {
          this.#running.delete(key);
        }
      }
      const outcome = await within(this.#waitMs, running);
      // The running one left no stored outcome: this one replaces it.
      if (outcome) return outcome;
    }
  }
}

async function within<T>(waitMs: number, running: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_, reject) => {
    const message = "A request with the same Idempotency-Key is still being worked on.";
    timer = setTimeout(() => reject(new PaylinkError("service_unavailable", message)), waitMs);
  });
  try {
    return await Promise.race([running, limit]);
  } finally {
    clearTimeout(timer);
  }
}
