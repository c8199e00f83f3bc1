import { LRUCache } from "lru-cache";
import type { SharedCounts, SharedList } from "./shared-counts.ts";

/** The gain of a bucket each second, and the content of a full one. */
export interface BucketSize {
  readonly perSecond: number;
  readonly burst: number;
}

/** The content of a bucket. */
export interface BucketLevel {
  /** Whole tokens. */
  readonly remaining: number;
  /** Time until the next token; 0 if there is one. */
  readonly waitMs: number;
  readonly untilFullMs: number;
}

const BUCKETS_MAX = 50_000;
// In tokens: arithmetic with times in milliseconds is not exact.
const TOLERANCE = 1e-6;

/**
 * Token buckets by name, in the memory of this process, or kept together with others'. A bucket is stored as the time at which it is full again, and a
 * missing one is full. When there are too many, the least recently used ones are dropped.
 */
export class TokenBuckets {
  readonly size: BucketSize;
  readonly #tokenMs: number;
  readonly #nowMs: () => number;
  readonly #fullAtMs = new LRUCache<string, number>({ max: BUCKETS_MAX });

  readonly #others: SharedList | undefined;

  /** `kind` names the buckets among those that several processes keep together. */
  constructor(size: BucketSize, nowMs: () => number, kind = "", shared?: SharedCounts) {
    this.size = size;
    this.#others = shared?.list(kind, (name, count) => this.#take(name, count));
    this.#tokenMs = 1000 / size.perSecond;
    this.#nowMs = nowMs;
  }

  level(name: string): BucketLevel {
    const untilFullMs = Math.max(0, (this.#fullAtMs.get(name) ?? 0) - this.#nowMs());
    const tokens = this.size.burst - untilFullMs / this.#tokenMs;
    const isEmpty = tokens < 1 - TOLERANCE;
    return {
      remaining: Math.max(0, Math.floor(tokens + TOLERANCE)),
      waitMs: isEmpty ? (1 - tokens) * this.#tokenMs : 0,
      untilFullMs,
    };
  }

  /** Takes tokens, even if there are not so many. */
  take(name: string, count = 1): void {
    this.#take(name, count);
    this.#others?.add(name, count);
  }

  #take(name: string, count: number): void {
    const nowMs = this.#nowMs();
    this.#fullAtMs.set(name, Math.max(nowMs, this.#fullAtMs.get(name) ?? 0) + count * this.#tokenMs);
  }

  /** Puts back a token. */
  giveBack(name: string): void {
    const fullAtMs = this.#fullAtMs.get(name);
    if (fullAtMs === undefined) return;
    this.#fullAtMs.set(name, fullAtMs - this.#tokenMs);
    this.#others?.add(name, -1);
  }
}
