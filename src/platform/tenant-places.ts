import type { HandlerContext } from "@connectrpc/connect";
import { PaylinkError } from "./errors.ts";

/** The places that a tenant has in a mode. */
export interface PlaceCounts {
  readonly all: number;
  /** For one RPC. */
  readonly ofMethod: number;
  /** Of one RPC's calls for all tenants of a mode. */
  readonly ofMethodTogether: number;
  /** While so many have run for longer than SLOW_MS, no other one begins. */
  readonly slow: number;
  /** Maximum number of calls that wait. */
  readonly waiting: number;
}

// The rest of a pool's eight connections is for other tenants, and for this one's payers. Lists end soon and may take
// half of them; sums and searches over many rows a quarter. Several tenants that do the same leave some connections too.
export const READ_PLACES: PlaceCounts = { all: 5, ofMethod: 4, ofMethodTogether: 6, slow: 2, waiting: 512 };
// The calls of one RPC change the same rows: side by side, all but one would wait for locks, each with a connection.
// Many tenants seal their days at the same hour, and a day of many payments takes seconds.
export const CHANGE_PLACES: PlaceCounts = { all: 2, ofMethod: 1, ofMethodTogether: 3, slow: 2, waiting: 64 };

const SLOW_MS = 50;

/** A call for a tenant in a mode. */
interface PlacedCall {
  readonly mode: string;
  readonly tenantId: string;
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
  readonly name: string;
  readonly mode: string;
  readonly running: Set<Running>;
  readonly waiting: Waiting[];
}

/**
 * Bounds the calls that run for one tenant in a mode, so that its work on many rows does not hold all connections of a
 * pool. One RPC's calls do not hold all places of the tenant either, if it has more than them, nor all connections for
 * many tenants. Tenants that wait for the same RPC take turns.
 */
export class TenantPlaces {
  readonly #counts: PlaceCounts;
  // The owner whose call began last is the last one.
  readonly #owners = new Map<string, Owner>();
  readonly #together = new Map<string, number>();
  #waitingCount = 0;

  constructor(counts: PlaceCounts) {
    this.#counts = counts;
  }

  /** Runs the call when there is a place. Errors: service_unavailable if too many of the tenant wait; the signal's. */
  async run<Result>(call: PlacedCall, work: () => Promise<Result>): Promise<Result> {
    const { mode, method } = call;
    const name = `${mode} ${call.tenantId}`;
    const owner = this.#owners.get(name) ?? { name, mode, running: new Set(), waiting: [] };
    this.#owners.set(name, owner);
    let running: Running | undefined;
    try {
      running = this.#hasPlace(owner, method) ? this.#begin(owner, method) : await this.#waited(owner, call);
      return await work();
    } finally {
      if (running) this.#end(owner, running);
      if (owner.running.size + owner.waiting.length === 0) this.#owners.delete(name);
    }
  }

  #hasPlace({ mode, running }: Owner, method: string): boolean {
    const { all, ofMethod, ofMethodTogether, slow } = this.#counts;
    if (running.size >= all) return false;
    if ((this.#together.get(`${mode} ${method}`) ?? 0) >= ofMethodTogether) return false;
    const slowSinceMs = performance.now() - SLOW_MS;
    let [sameCount, slowCount] = [0, 0];
    for (const each of running) {
      if (each.method === method) sameCount++;
      if (each.sinceMs < slowSinceMs) slowCount++;
    }
    return sameCount < ofMethod && slowCount < slow;
  }

  #begin(owner: Owner, method: string): Running {
    const call = { method, sinceMs: performance.now() };
    owner.running.add(call);
    this.#owners.delete(owner.name);
    this.#owners.set(owner.name, owner);
    this.#count(owner, method, 1);
    return call;
  }

  #end(owner: Owner, running: Running): void {
    owner.running.delete(running);
    this.#count(owner, running.method, -1);
    if (this.#waitingCount > 0) this.#beginNext();
  }

  #count({ mode }: Owner, method: string, change: number): void {
    const key = `${mode} ${method}`;
    const count = (this.#together.get(key) ?? 0) + change;
    if (count === 0) this.#together.delete(key);
    else this.#together.set(key, count);
  }

  /** Begins all that have a place now: the end of a slow call makes more than its own. */
  #beginNext(): void {
    const owners = Array.from(this.#owners.values());
    for (const owner of owners) {
      for (;;) {
        const index = owner.waiting.findIndex(({ method }) => this.#hasPlace(owner, method));
        const [next] = index < 0 ? [] : owner.waiting.splice(index, 1);
        if (!next) break;
        this.#waitingCount--;
        next.begin(this.#begin(owner, next.method));
      }
    }
  }

  async #waited({ waiting }: Owner, { method, context }: PlacedCall): Promise<Running> {
    if (waiting.length >= this.#counts.waiting) {
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
        this.#waitingCount--;
        reject(signal.reason as Error);
      };
      waiting.push(one);
      this.#waitingCount++;
      signal.addEventListener("abort", leave, { once: true });
    });
  }
}
