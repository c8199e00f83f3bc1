import { networkOf } from "../../contract/network.ts";
import { Limiter } from "../http/limiter.ts";

const WINDOW_SECONDS = 60;

/**
 * Counts the requests of payers by address. There is no bound for a link: the payers of a campaign come all at once. That
 * of an address is far above what the thousands behind one of a mobile operator do.
 */
export class VisitLimits {
  readonly #limiter: Limiter | undefined;

  /** `perMinute` is 0 for no limit. `kind` names the requests. */
  constructor(perMinute: number, kind: string, isShared = false) {
    if (perMinute === 0) return;
    this.#limiter = new Limiter({ kind, count: perMinute, seconds: WINDOW_SECONDS, isShared });
  }

  /** Counts a request. Returns undefined if it may go on, else the seconds to wait. */
  async count(address: string): Promise<number | undefined> {
    const level = await this.#limiter?.take(networkOf(address));
    return level?.isOver ? Math.max(1, Math.ceil(level.untilEndMs / 1000)) : undefined;
  }
}
