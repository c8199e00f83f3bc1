import {
  RateLimiterCluster,
  RateLimiterMemory,
  RateLimiterRes,
  type RateLimiterAbstract,
} from "rate-limiter-flexible";

export interface LimiterOptions {
  /** Names the counts among those of a gateway. */
  readonly kind: string;
  /** The maximum in a window, which begins with a name's first request. */
  readonly count: number;
  readonly seconds: number;
  /** True: this is one of several processes behind one port, whose primary keeps the counts of all. */
  readonly isShared?: boolean | undefined;
}

/** What is known of a name in its window. */
export interface Level {
  readonly remaining: number;
  readonly untilEndMs: number;
  readonly isOver: boolean;
}

/** Counts requests by name, such as that of a key or an address. */
export class Limiter {
  readonly #limiter: RateLimiterAbstract;

  constructor({ kind, count, seconds, isShared = false }: LimiterOptions) {
    const options = { keyPrefix: kind, points: count, duration: seconds };
    this.#limiter = isShared ? new RateLimiterCluster(options) : new RateLimiterMemory(options);
  }

  /** Counts a request, unless it is over the limit. */
  async take(name: string): Promise<Level> {
    try {
      return levelOf(await this.#limiter.consume(name), false);
    } catch (error) {
      if (error instanceof RateLimiterRes) return levelOf(error, true);
      throw error;
    }
  }

  /** Counts more, even over the limit. */
  async add(name: string, count: number): Promise<Level> {
    return levelOf(await this.#limiter.penalty(name, count), false);
  }

  async giveBack(name: string): Promise<void> {
    await this.#limiter.reward(name);
  }

  /** Returns the time until the next request, or 0 if one may come now. */
  async waitMs(name: string): Promise<number> {
    const level = await this.#limiter.get(name);
    return level && level.remainingPoints <= 0 ? Math.max(0, level.msBeforeNext) : 0;
  }
}

function levelOf({ remainingPoints, msBeforeNext }: RateLimiterRes, isOver: boolean): Level {
  return { remaining: remainingPoints, untilEndMs: msBeforeNext, isOver };
}
