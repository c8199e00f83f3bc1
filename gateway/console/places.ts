import { Occupancy, type OccupancyBounds } from "../../contract/occupancy.ts";
import { hasLeft } from "../unread-answer.ts";
import { Refused } from "./refused.ts";
import type { Visit } from "./visit.ts";

/** What visits hold at once in this process is bounded: of each tenant, and of all. */
export class Places {
  readonly #held: Occupancy;

  constructor(bounds: OccupancyBounds) {
    this.#held = new Occupancy(bounds);
  }

  /**
   * Takes a place until the visit's work has ended and its answer is closed: the work of a client that leaves may go on.
   * Throws Refused: busy.
   */
  take(visit: Visit): void {
    const tenant = { owner: visit.tenantId };
    if (this.#held.exceeded(tenant, 1)) throw new Refused("busy", visit);
    this.#held.add(tenant, 1);
    const closed = closedOf(visit);
    const isClosed = new Promise<void>((resolve) => {
      if (closed.aborted) resolve();
      else closed.addEventListener("abort", () => resolve(), { once: true });
    });
    void Promise.all([visit.ended, isClosed]).then(() => this.#held.add(tenant, -1));
  }
}

/** Returns a signal that aborts when the visit's answer is read or its connection has ended. */
export function closedOf({ reply: { raw } }: Visit): AbortSignal {
  if (hasLeft(raw)) return AbortSignal.abort();
  const controller = new AbortController();
  raw.once("close", () => controller.abort());
  return controller.signal;
}
