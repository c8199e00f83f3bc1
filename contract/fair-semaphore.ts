/** The numbers of a semaphore. */
export interface SemaphoreLimits {
  /** The most permits at a time. */
  readonly total: number;
  /** The most permits of one key at a time. */
  readonly perKey: number;
  /** The most tasks of one key that wait. */
  readonly waitingPerKey: number;
  /** The most tasks of all keys that wait. */
  readonly waitingTotal: number;
  /** Returns the error of a task that may not wait. */
  readonly refusal: () => Error;
}

interface Waiting {
  readonly begin: () => void;
  readonly refuse: (reason: unknown) => void;
}

/**
 * Bounds the tasks that run at a time, in all and of each key. The others wait, and keys take turns, so that one with much
 * work delays another by no more than what runs.
 */
export class FairSemaphore {
  readonly #limits: SemaphoreLimits;
  readonly #running = new Map<string, number>();
  /** For each key that has some. The key whose turn is next comes first. */
  readonly #waiting = new Map<string, Set<Waiting>>();
  #runningCount = 0;
  #waitingCount = 0;

  constructor(limits: SemaphoreLimits) {
    this.#limits = limits;
  }

  /** The permits that are held now. */
  get running(): number {
    return this.#runningCount;
  }

  /** The tasks that wait now. */
  get waiting(): number {
    return this.#waitingCount;
  }

  /** Returns true if a task of the key would begin now. */
  isFree(key: string): boolean {
    const { total, perKey } = this.#limits;
    return this.#runningCount < total && (this.#running.get(key) ?? 0) < perKey;
  }

  /** Returns false if a task of the key would be refused now. */
  hasRoom(key: string): boolean {
    return this.isFree(key) || this.#yielding(key) !== undefined;
  }

  /**
   * Runs a task when its key has a permit. Throws the refusal if too many wait, also later if its key has the most that wait
   * and another key needs the place; the signal's reason if it aborts before the task begins.
   */
  async run<Result>(key: string, task: () => Promise<Result>, signal?: AbortSignal): Promise<Result> {
    signal?.throwIfAborted();
    if (this.isFree(key)) this.#take(key);
    else await this.#wait(key, signal);
    try {
      return await task();
    } finally {
      this.#release(key);
    }
  }

  #take(key: string): void {
    this.#runningCount++;
    this.#running.set(key, (this.#running.get(key) ?? 0) + 1);
  }

  #release(key: string): void {
    this.#runningCount--;
    const left = (this.#running.get(key) ?? 0) - 1;
    if (left > 0) this.#running.set(key, left);
    else this.#running.delete(key);
    for (const [next, own] of this.#waiting) {
      if (!this.isFree(next)) continue;
      const [first] = own;
      if (!first) continue;
      this.#leave(next, first);
      this.#take(next);
      // Its key waits behind all others now.
      if (own.size > 0) {
        this.#waiting.delete(next);
        this.#waiting.set(next, own);
      }
      first.begin();
      return;
    }
  }

  async #wait(key: string, signal: AbortSignal | undefined): Promise<void> {
    this.#makeRoom(key);
    const own = this.#waiting.get(key) ?? new Set();
    this.#waiting.set(key, own);
    await new Promise<void>((resolve, reject) => {
      const abort = (): void => {
        this.#leave(key, one);
        reject(signal?.reason as Error);
      };
      const settle = (): void => signal?.removeEventListener("abort", abort);
      const one: Waiting = {
        begin: () => {
          settle();
          resolve();
        },
        refuse: (reason) => {
          settle();
          reject(reason);
        },
      };
      own.add(one);
      this.#waitingCount++;
      signal?.addEventListener("abort", abort, { once: true });
    });
  }

  #leave(key: string, one: Waiting): void {
    const own = this.#waiting.get(key);
    if (own?.delete(one) !== true) return;
    this.#waitingCount--;
    if (own.size === 0) this.#waiting.delete(key);
  }

  /** Makes room for one more that waits: the key with the most gives up its last. Throws the refusal if no key can. */
  #makeRoom(key: string): void {
    const yielding = this.#yielding(key);
    if (yielding === undefined) throw this.#limits.refusal();
    const last = [...(this.#waiting.get(yielding) ?? [])].at(-1);
    if (!last) return;
    this.#leave(yielding, last);
    last.refuse(this.#limits.refusal());
  }

  /** Returns the key that gives up a place to wait for this one; "" if there is room; undefined if this one may not wait. */
  #yielding(key: string): string | undefined {
    const { waitingPerKey, waitingTotal } = this.#limits;
    const ownCount = this.#waiting.get(key)?.size ?? 0;
    if (ownCount >= waitingPerKey) return undefined;
    if (this.#waitingCount < waitingTotal) return "";
    let most: string | undefined;
    let mostCount = ownCount + 1;
    for (const [name, { size }] of this.#waiting) if (size > mostCount) [most, mostCount] = [name, size];
    return most;
  }
}
