import { RateLimiterMemory, RateLimiterRes } from "rate-limiter-flexible";
import { neighbourhoodOf, networkOf } from "../../contract/network.ts";

/** What payers may ask for in a minute, sessions and payments each; 0: any number. */
export interface VisitRates {
  readonly perAddress: number;
  readonly perLink: number;
}

const WINDOW_SECONDS = 60;

/** Counts what this process lets payers ask for, by their address and by the link. */
export class VisitLimits {
  readonly #byAddress: RateLimiterMemory | undefined;
  readonly #byLink: RateLimiterMemory | undefined;
  // Of a link past its rate, so that those who use it up keep only their neighbours out.
  readonly #byNeighbourhood = limiter(1);

  constructor({ perAddress, perLink }: VisitRates) {
    this.#byAddress = limiter(perAddress);
    this.#byLink = limiter(perLink);
  }

  /** Counts a request. Answers undefined when it may go on, else the seconds to wait. */
  async count(address: string, linkId: string): Promise<number | undefined> {
    // The address first: what is refused by it does not use up what other payers of the link have.
    const ofAddress = await secondsToWait(this.#byAddress, networkOf(address));
    if (ofAddress !== undefined) return ofAddress;
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
