import { RateLimiterMemory, RateLimiterRes } from "rate-limiter-flexible";
import { isId } from "../../contract/ids.ts";
import { neighbourhoodOf, networkOf } from "../../contract/network.ts";
import type { SharedCounts, SharedList } from "../shared-counts.ts";

/** Sessions per minute, and payments per minute; 0: no limit. */
export interface VisitRates {
  readonly perAddress: number;
  readonly perLink: number;
}

const WINDOW_SECONDS = 60;

/** Counts the requests of payers, by address and by link. */
export class VisitLimits {
  readonly #byAddress: Counts | undefined;
  readonly #byLink: Counts | undefined;
  // Used for a link past its rate: only neighbourhoods that already used it in this window have to wait.
  readonly #byNeighbourhood: Counts | undefined;

  /** `kind` names the requests among those that several processes count together. */
  constructor({ perAddress, perLink }: VisitRates, kind = "", shared?: SharedCounts) {
    this.#byAddress = limiter(perAddress, `${kind} of addresses`, shared);
    this.#byLink = limiter(perLink, `${kind} of links`, shared);
    this.#byNeighbourhood = limiter(1, `${kind} of neighbourhoods`, shared);
  }

  /** Counts a request. Returns undefined if it may go on, else the seconds to wait. */
  async count(address: string, linkId: string): Promise<number | undefined> {
    // The address comes first: a request that it refuses does not use up the link's rate for other payers.
    const ofAddress = await secondsToWait(this.#byAddress, networkOf(address));
    if (ofAddress !== undefined) return ofAddress;
    // There is no such link, which the core says. Its name may have kilobytes, and is not kept.
    if (!isId("pl", linkId)) return undefined;
    const place = `${linkId} ${neighbourhoodOf(address)}`;
    if ((await secondsToWait(this.#byLink, linkId)) === undefined) {
      await this.#byNeighbourhood?.limiter.penalty(place);
      this.#byNeighbourhood?.others?.add(place, 1);
      return undefined;
    }
    return await secondsToWait(this.#byNeighbourhood, place);
  }
}

/** Requests in the current window, by key. */
interface Counts {
  readonly limiter: RateLimiterMemory;
  readonly others: SharedList | undefined;
}

function limiter(points: number, kind: string, shared: SharedCounts | undefined): Counts | undefined {
  if (points === 0) return undefined;
  const counted = new RateLimiterMemory({ points, duration: WINDOW_SECONDS });
  const others = shared?.list(kind, (key, count) => void counted.penalty(key, count));
  return { limiter: counted, others };
}

async function secondsToWait(counts: Counts | undefined, key: string): Promise<number | undefined> {
  try {
    await counts?.limiter.consume(key);
    counts?.others?.add(key, 1);
    return undefined;
  } catch (error) {
    if (!(error instanceof RateLimiterRes)) throw error;
    return Math.max(1, Math.ceil(error.msBeforeNext / 1000));
  }
}
