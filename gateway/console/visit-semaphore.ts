import { FairSemaphore } from "../../contract/fair-semaphore.ts";
import { closedSignal } from "../http/permits.ts";
import { Refused } from "./refused.ts";
import type { Visit } from "./visit.ts";

/** What visits hold at once in this process is bounded: of each tenant, and of all. None waits. */
export class VisitSemaphore {
  readonly #semaphore: FairSemaphore;

  constructor({ total, perKey }: { readonly total: number; readonly perKey: number }) {
    this.#semaphore = new FairSemaphore({
      total,
      perKey,
      waitingPerKey: 0,
      waitingTotal: 0,
      refusal: () => new Refused("busy"),
    });
  }

  /**
   * Takes a permit until the visit's work has ended and its answer is closed: the work of a client that leaves may go on.
   * Throws Refused: busy.
   */
  take(visit: Visit): void {
    const { tenantId, ended } = visit;
    if (!this.#semaphore.hasRoom(tenantId)) throw new Refused("busy", visit);
    const closed = closedOf(visit);
    const isClosed = new Promise<void>((resolve) => {
      if (closed.aborted) resolve();
      else closed.addEventListener("abort", () => resolve(), { once: true });
    });
    void this.#semaphore.run(tenantId, async () => await Promise.all([ended, isClosed]));
  }
}

/** Returns a signal that aborts when the visit's answer is read or its connection has ended. */
export function closedOf({ reply: { raw } }: Visit): AbortSignal {
  return closedSignal(raw);
}
