import { setImmediate } from "node:timers/promises";
import { PlacesInTurns } from "../contract/places-in-turns.ts";
import { BODY_LIMIT } from "./body.ts";
import { PublicError } from "./transcode/errors.ts";

// A body of 64 KiB with as many members as it may have keeps the process busy for some 13 ms, four times as long as a short
// one, and one with a picture for up to 80 ms.
const LARGE_BYTES = 8 * 1024;
// As many of one tenant wait as it may send at once where the operator limits its rate as compose.yaml does.
const LARGE = { running: 4, ofOwner: 2, waiting: { ofOwner: 256, ofAll: 1024, refusal: tooMany } };
// As many as the core takes. Each has up to 4 MB.
const PICTURES = { running: 2, ofOwner: 1, waiting: { ofOwner: 12, ofAll: 48, refusal: tooManyPictures } };

/**
 * Bounds the requests with large bodies that are worked on at a time: a few of all tenants, and fewer of one. More wait, and
 * tenants take turns. Otherwise those of one tenant, sent all at once, would keep the process from all others for seconds.
 * Bodies that are larger than all but pictures may be have turns of their own.
 */
export class LargeBodies {
  readonly #large = new PlacesInTurns(LARGE.running, LARGE.waiting, LARGE.ofOwner);
  readonly #pictures = new PlacesInTurns(PICTURES.running, PICTURES.waiting, PICTURES.ofOwner);

  /**
   * Works on a request of the owner, a tenant in a mode, with a body of `bytes`. Error: service_unavailable if too many wait.
   */
  async run<Result>(owner: string, bytes: number, work: () => Promise<Result>): Promise<Result> {
    if (bytes < LARGE_BYTES) return await work();
    const places = bytes > BODY_LIMIT ? this.#pictures : this.#large;
    return await places.run(owner, async () => {
      // What came from others meanwhile is taken first.
      await setImmediate();
      return await work();
    });
  }
}

function tooMany(): PublicError {
  return new PublicError("service_unavailable", "Too many requests with large bodies are under way.");
}

function tooManyPictures(): PublicError {
  return new PublicError("service_unavailable", "Too many pictures at once: send it again in a moment.");
}
