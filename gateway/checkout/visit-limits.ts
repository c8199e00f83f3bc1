import { RateLimiterMemory, RateLimiterRes } from "rate-limiter-flexible";
import { isId } from "../../contract/ids.ts";
import { neighbourhoodOf, networkOf } from "../../contract/network.ts";

/** Sessions per minute, and payments per minute; 0: no limit. */
export interface VisitRates {
  readonly perAddress: number;
  readonly perLink: number;
}

const WINDOW_SECONDS = 60;

/** Counts the requests of payers in this process, by address and by link. */
export class VisitLimits {
  readonly #byAddress: RateLimiterMemory | undefined;
  readonly #byLink: RateLimiterMemory | undefined;
  // Used for a link past its rate: only neighbourhoods that already used it in this window have to wait.
  readonly #byNeighbourhood = limiter(1);

  constructor({ perAddress, perLink }: VisitRates) {
    this.#byAddress = limiter(perAddress);
    this.#byLink = limiter(perLink);
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
      await this.#byNeighbourhood?.penalty(place);
      return undefined;
    }
    return await secondsToWait(this.#byNeighbourhood, place);
  }
}

function limiter(points: number): RateLimiterMemory | undefined {
  return points === 0 ? undefined : new RateLimiterMemory({ points, duration: WINDOW_SECONDS });
}

async function secondsToWait(rates: RateLimiterMemory | undefined, key: string): Promise<number | undefined> {
  try {
    await rates?.consume(key);
    return undefined;
  } catch (error) {
    if (!(error instanceof RateLimiterRes)) throw error;
    return Math.max(1, Math.ceil(error.msBeforeNext / 1000));
  }
}
