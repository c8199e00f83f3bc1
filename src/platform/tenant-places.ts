import type { HandlerContext } from "@connectrpc/connect";
import { PaylinkError } from "./errors.ts";

/** The places that a tenant has in a mode. */
export interface PlaceCounts {
  readonly all: number;
  /** For one RPC. */
  readonly ofMethod: number;
  /** While so many have run for longer than SLOW_MS, no other one begins. */
  readonly slow: number;
  /** Maximum number of calls that wait. */
  readonly waiting: number;
}

// The rest of a pool's eight connections is for other tenants, and for this one's payers. Lists end soon and may take
// half of them; sums and searches over many rows a quarter.
export const READ_PLACES: PlaceCounts = { all: 5, ofMethod: 4, slow: 2, waiting: 512 };
// The calls of one RPC change the same rows: side by side, all but one would wait for locks, each with a connection.
export const CHANGE_PLACES: PlaceCounts = { all: 2, ofMethod: 1, slow: 2, waiting: 64 };

const SLOW_MS = 50;

/** A call for a tenant in a mode. */
interface PlacedCall {
  readonly owner: string;
  readonly method: string;
  /** Its signal ends a call that still waits. */
  readonly context: Pick<HandlerContext, "signal">;
}

interface Running {
  readonly method: string;
  readonly sinceMs: number;
}

interface Waiting {
  readonly method: string;
  readonly begin: (running: Running) => void;
}

interface Owner {
  readonly running: Set<Running>;
  readonly waiting: Waiting[];
}

/**
 * Bounds the calls that run for one tenant in a mode, so that its work on many rows does not hold all connections of a
 * pool. One RPC's calls do not hold all places of the tenant either, if it has more than them.
 */
export class TenantPlaces {
  readonly #counts: PlaceCounts;
  readonly #owners = new Map<string, Owner>();

  constructor(counts: PlaceCounts) {
    this.#counts = counts;
  }

  /** Runs the call when there is a place. Errors: service_unavailable if too many of the tenant wait; the signal's. */
  async run<Result>(call: PlacedCall, work: () => Promise<Result>): Promise<Result> {
    const owner = this.#owners.get(call.owner) ?? { running: new Set(), waiting: [] };
    this.#owners.set(call.owner, owner);
    const running = this.#hasPlace(owner, call.method)
      ? begun(owner, call.method)
      : await waited(owner, call, this.#counts.waiting);
    try {
      return await work();
    } finally {
      owner.running.delete(running);
      this.#beginNext(call.owner, owner);
    }
  }

  #hasPlace({ running }: Owner, method: string): boolean {
    const { all, ofMethod, slow } = this.#counts;
    if (running.size >= all) return false;
    const slowSinceMs = performance.now() - SLOW_MS;
    let [sameCount, slowCount] = [0, 0];
    for (const each of running) {
      if (each.method === method) sameCount++;
      if (each.sinceMs < slowSinceMs) slowCount++;
    }
    return sameCount < ofMethod && slowCount < slow;
  }

  /** Begins all that have a place now: the end of a slow call makes more than its own. */
  #beginNext(name: string, owner: Owner): void {
    for (;;) {
      const index = owner.waiting.findIndex(({ method }) => this.#hasPlace(owner, method));
      const [next] = index < 0 ? [] : owner.waiting.splice(index, 1);
      if (!next) break;
      next.begin(begun(owner, next.method));
    }
    if (owner.running.size === 0) this.#owners.delete(name);
  }
}

function begun({ running }: Owner, method: string): Running {
  const call = { method, sinceMs: performance.now() };
  running.add(call);
  return call;
}

async function waited(
  { waiting }: Owner,
  { method, context }: PlacedCall,
  waitingMax: number,
): Promise<Running> {
  if (waiting.length >= waitingMax) {
    throw new PaylinkError("service_unavailable", "Too many calls of the tenant wait for their turn.");
  }
  // Made on first use, so it is asked for only here.
  const { signal } = context;
  signal.throwIfAborted();
  return await new Promise<Running>((resolve, reject) => {
    const one: Waiting = {
      method,
      begin: (running) => {
        signal.removeEventListener("abort", leave);
        resolve(running);
      },
    };
    const leave = (): void => {
      waiting.splice(waiting.indexOf(one), 1);
      reject(signal.reason as Error);
    };
    waiting.push(one);
    signal.addEventListener("abort", leave, { once: true });
  });
}
