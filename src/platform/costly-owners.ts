import { LRUCache } from "lru-cache";

const KEPT = { max: 10_000, ttl: 600_000 };

/** The owners whose work was costly a short time ago. */
export class CostlyOwners {
  readonly #owners = new LRUCache<string, true>(KEPT);

  note(owner: string): void {
    this.#owners.set(owner, true);
  }

  has(owner: string): boolean {
    return this.#owners.has(owner);
  }
}
