import { AsyncLocalStorage } from "node:async_hooks";
import { PaylinkError } from "../rpc/errors.ts";
import { semaphoreOf } from "../limits/semaphores.ts";

/** How often a decision is made if others change the same rows each time. */
const ATTEMPTS_MAX = 20;

const TURNS = { total: Infinity, perKey: 1, waitingPerKey: 512, waitingTotal: 4096 };

/** Who decides what: the decisions of one RPC for a tenant in a mode. */
export interface Decider {
  readonly tenantId: string;
  readonly mode: string;
  readonly kind: string;
  /** Ends a decision that is made again. Absent: it is made to its end. */
  readonly signal?: () => AbortSignal;
}

/**
 * Makes decisions that others may overtake by changing the same rows. Side by side, each success of many would make all
 * others be decided again. So from the first that is overtaken, those of its RPC and tenant are made one after the other,
 * until none waits.
 */
export class ConflictRetry {
  readonly #turns = semaphoreOf(TURNS);
  readonly #waiting = new Map<string, number>();
  readonly #current = new AsyncLocalStorage<string>();

  /**
   * Returns the result of `attempt`, which returns undefined when it was overtaken. Error: service_unavailable if too
   * many wait or if it is overtaken too often; the signal's.
   */
  async run<Result extends {}>(
    { tenantId, mode, kind, signal }: Decider,
    attempt: () => Promise<Result | undefined>,
  ): Promise<Result> {
    const owner = `${mode} ${tenantId}`;
    const key = `${owner} ${kind}`;
    let left = ATTEMPTS_MAX;
    if (!this.#waiting.has(key)) {
      const result = await attempt();
      if (result !== undefined) return result;
      left--;
    }
    // A decision within one that has its turn is a part of it.
    if (this.#current.getStore() === owner) return await again(attempt, { signal, left });
    this.#count(key, 1);
    try {
      return await this.#turns.run(
        owner,
        async () => await this.#current.run(owner, async () => await again(attempt, { signal, left })),
      );
    } finally {
      this.#count(key, -1);
    }
  }

  #count(key: string, change: number): void {
    const count = (this.#waiting.get(key) ?? 0) + change;
    if (count === 0) this.#waiting.delete(key);
    else this.#waiting.set(key, count);
  }
}

/** Returns the first result of `attempt`, which returns undefined when it was overtaken. Errors: as of `run`. */
export async function again<Result extends {}>(
  attempt: () => Promise<Result | undefined>,
  { signal, left = ATTEMPTS_MAX }: { readonly signal?: Decider["signal"]; readonly left?: number } = {},
): Promise<Result> {
  for (let attempts = 0; attempts < left; attempts++) {
    signal?.().throwIfAborted();
    const result = await attempt();
    if (result !== undefined) return result;
  }
  throw new PaylinkError("service_unavailable", "Too many requests change the same object.");
}
