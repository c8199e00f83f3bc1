import { setImmediate } from "node:timers/promises";
import { PlacesInTurns } from "../contract/places-in-turns.ts";
import { BODY_LIMIT } from "./body.ts";
import { PublicError } from "./transcode/errors.ts";

// A body of 64 KiB with as many members as it may have keeps the process busy for some 13 ms, four times as long as a short
// one.
const LARGE_BYTES = 8 * 1024;
const RUNNING_MAX = 4;
const OF_OWNER_MAX = 2;
// As many as one tenant may begin at once where the operator limits its rate as compose.yaml does. Each has up to 64 KiB.
const WAITING = { ofOwner: 256, ofAll: 1024, refusal: tooMany };

/**
 * Bounds the requests with large bodies that are worked on at a time: a few of all tenants, and fewer of one. More wait, and
 * tenants take turns. Otherwise those of one tenant, sent all at once, would keep the process from all others for seconds.
 */
export class LargeBodies {
  readonly #places = new PlacesInTurns(RUNNING_MAX, WAITING, OF_OWNER_MAX);

  /**
   * Works on a request of the owner, a tenant in a mode. `bytes` is the length of its body. A body that may be larger than
   * others has no turn here: pictures have their own, and many that wait would take much memory. Error:
   * service_unavailable if too many wait.
   */
  async run<Result>(
    owner: string,
    { bytes, bytesMax }: { readonly bytes: number; readonly bytesMax: number },
    work: () => Promise<Result>,
  ): Promise<Result> {
    if (bytes < LARGE_BYTES || bytesMax > BODY_LIMIT) return await work();
    return await this.#places.run(owner, async () => {
      // What came from others meanwhile is taken first.
      await setImmediate();
      return await work();
    });
  }
}

function tooMany(): PublicError {
  return new PublicError("service_unavailable", "Too many requests with large bodies are under way.");
}
