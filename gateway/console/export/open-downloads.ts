import { Occupancy } from "../../../contract/occupancy.ts";
import { endUnread } from "../../unread-answer.ts";
import { Refused } from "../refused.ts";
import type { Visit } from "../visit.ts";

const BOUNDS = { all: 16, ofOne: 4 };

/**
 * Bounds the downloads of this process that are under way: each holds pages of rows until its client reads them. One of
 * which nothing is read for 30 seconds is cut off.
 */
export class OpenDownloads {
  readonly #stallMs: number | undefined;
  readonly #held = new Occupancy(BOUNDS);

  constructor(stallMs?: number) {
    this.#stallMs = stallMs;
  }

  /** Counts a tenant's download until it is read or its connection ends. Throws Refused if there are too many. */
  hold(visit: Visit): void {
    const { tenantId, reply } = visit;
    const { raw } = reply;
    // A client that left has nothing to read, and "close" does not come again.
    if (raw.destroyed || raw.closed || raw.req.socket.destroyed) return;
    if (this.#held.exceeded({ owner: tenantId }, 1)) throw new Refused("busy", visit);
    this.#held.add({ owner: tenantId }, 1);
    raw.once("close", () => this.#held.add({ owner: tenantId }, -1));
    endUnread(raw, this.#stallMs);
  }
}

export const openDownloads = new OpenDownloads();
