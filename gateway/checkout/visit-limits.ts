import { RateLimiterMemory, RateLimiterRes } from "rate-limiter-flexible";
import { networkOf } from "../../contract/network.ts";
import type { SharedCounts, SharedList } from "../shared-counts.ts";

const WINDOW_SECONDS = 60;

/**
 * Counts the requests of payers by address. There is no bound for a link: the payers of a campaign come all at once. That
 * of an address is far above what the thousands behind one of a mobile operator do.
 */
export class VisitLimits {
  readonly #limiter: RateLimiterMemory | undefined;
  readonly #others: SharedList | undefined;

  /** `perMinute` is 0 for no limit. `kind` names the requests among those that several processes count together. */
  constructor(perMinute: number, kind: string, shared?: SharedCounts) {
    if (perMinute === 0) return;
    const limiter = new RateLimiterMemory({ points: perMinute, duration: WINDOW_SECONDS });
    this.#limiter = limiter;
    this.#others = shared?.list(kind, (network, count) => void limiter.penalty(network, count));
  }

  /** Counts a request. Returns undefined if it may go on, else the seconds to wait. */
  async count(address: string): Promise<number | undefined> {
    const network = networkOf(address);
    try {
      await this.#limiter?.consume(network);
      this.#others?.add(network, 1);
      return undefined;
    } catch (error) {
      if (!(error instanceof RateLimiterRes)) throw error;
      return Math.max(1, Math.ceil(error.msBeforeNext / 1000));
    }
  }
}
