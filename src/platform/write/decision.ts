import type { AuditContent, CallAudit } from "../rpc/audit-entry.ts";
import type { Change } from "./change.ts";
import type { Claim } from "./claim.ts";
import type { Committer } from "./commit.ts";
import { AsyncLocalStorage } from "node:async_hooks";
import { PaylinkError } from "../rpc/errors.ts";
import { semaphoreOf } from "../limits/semaphores.ts";

const DEADLOCK = "40P01";
/** How often a decision is made if others change the same rows each time. */
const ATTEMPTS_MAX = 20;
const TURNS = { total: Infinity, perKey: 1, waitingPerKey: 512, waitingTotal: 4096 };

/** The decision of a write: its response, the changes to write, and what its audit entry says of them. */
export interface Decision<Output> {
  readonly response: Output;
  readonly changes: readonly Change[];
  /** Absent: the decision changes nothing. */
  readonly audit?: AuditContent | undefined;
}

/**
 * Decides and writes with an audit entry. Returns undefined if others have changed the same rows meanwhile: nothing is
 * written then.
 */
export async function tryToWrite<Output>(
  committer: Committer,
  audit: CallAudit | undefined,
  decide: () => Promise<Decision<Output>>,
): Promise<{ readonly response: Output } | undefined> {
  const decision = await decide();
  const result = await commitDecision(committer, audit, decision, null);
  return result === "committed" ? decision : undefined;
}

/** Decides and writes, and decides again if it was overtaken. Error: service_unavailable. */
export async function writeDecided<Output>(
  committer: Committer,
  audit: CallAudit | undefined,
  decide: () => Promise<Decision<Output>>,
): Promise<Output> {
  const { response } = await again(async () => await tryToWrite(committer, audit, decide));
  return response;
}

/**
 * Commits a decision. One that PostgreSQL ended to resolve a deadlock was overtaken: nothing of it is written. Throws Error if
 * the decision changes something and does not say its audit entry, even if the call has none.
 */
export async function commitDecision(
  committer: Committer,
  audit: CallAudit | undefined,
  { changes, audit: content }: Pick<Decision<unknown>, "changes" | "audit">,
  claim: Claim | null,
): ReturnType<Committer["commit"]> {
  if (changes.length > 0 && !content) throw new Error("a change does not say its audit entry");
  const entry = changes.length > 0 && content ? audit?.entry(content) : undefined;
  try {
    return await committer.commit(changes, entry, claim);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === DEADLOCK) return "overtaken";
    throw error;
  }
}

/** Who decides what: the decisions of one RPC for a tenant in a mode. */
interface Decider {
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
async function again<Result extends {}>(
  attempt: () => Promise<Result | undefined>,
  { signal, left = ATTEMPTS_MAX }: { readonly signal?: Decider["signal"]; readonly left?: number } = {},
): Promise<Result> {
  for (let attempts = 0; attempts < left; attempts++) {
    signal?.().throwIfAborted();
    const result = await attempt();
    if (result !== undefined) return result;
  }
  throw new PaylinkError(
    "service_unavailable",
    "Too many requests change the same object: try again in a moment.",
  );
}
