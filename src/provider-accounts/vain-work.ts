import { LRUCache } from "lru-cache";
import type { Clock } from "../platform/clock.ts";

// Of an account: at once, and what comes back each second.
const AT_ONCE = 400;
const PER_SECOND = 20;
const ACCOUNTS_MAX = 10_000;

/** Counts the signatures that an account's refused callbacks made this process verify. */
export class VainWork {
  readonly #clock: Clock;
  readonly #spent = new LRUCache<string, { count: number; atMs: number }>({ max: ACCOUNTS_MAX });

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Returns true if so many were in vain that no callback of the account is looked at for a while. */
  isTooMuch(accountId: string): boolean {
    return this.#now(accountId) >= AT_ONCE;
  }

  add(accountId: string, count: number): void {
    if (count > 0)
      this.#spent.set(accountId, { count: this.#now(accountId) + count, atMs: this.#clock.nowMs() });
  }

  #now(accountId: string): number {
    const { count, atMs } = this.#spent.get(accountId) ?? { count: 0, atMs: 0 };
    return Math.max(0, count - (Math.max(0, this.#clock.nowMs() - atMs) / 1000) * PER_SECOND);
  }
}
