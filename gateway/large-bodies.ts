import { setImmediate } from "node:timers/promises";
import { LRUCache } from "lru-cache";
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

// A short request to pay a link with much metadata reads, writes and answers all of it several times.
const ANSWERS = { running: 6, ofOwner: 2, waiting: LARGE.waiting };
// A request that takes longer waits, as one for a webhook does for the server of its receiver's name, and keeps nothing busy.
const SLOW_MS = 250;
// How long short requests of one kind count as large after an answer that was.
const REMEMBERED = { max: 10_000, ttl: 10_000 };

/** A request of an owner, a tenant in a mode. */
interface Sized {
  readonly owner: string;
  /** The bytes of its body. */
  readonly bytes: number;
  /** The change that it asks for. Undefined: it changes nothing. */
  readonly change: string | undefined;
}

/**
 * Bounds the requests with large bodies that are worked on at a time: a few of all tenants, and fewer of one. More wait, and
 * tenants take turns. Otherwise those of one tenant, sent all at once, would keep the process from all others for seconds.
 * Bodies that are larger than all but pictures may be have turns of their own. So have short requests for changes whose
 * answers have been large of late.
 */
export class LargeBodies {
  readonly #large: PlacesInTurns;
  readonly #pictures = new PlacesInTurns(PICTURES.running, PICTURES.waiting, PICTURES.ofOwner);
  readonly #answers: PlacesInTurns;
  readonly #lately = new LRUCache<string, true>(REMEMBERED);

  constructor(slowMs = SLOW_MS) {
    this.#large = new PlacesInTurns(LARGE.running, LARGE.waiting, LARGE.ofOwner, slowMs);
    this.#answers = new PlacesInTurns(ANSWERS.running, ANSWERS.waiting, ANSWERS.ofOwner, slowMs);
  }

  /** Works on a request. Error: service_unavailable if too many wait. */
  async run<Result>(request: Sized, work: () => Promise<Result>): Promise<Result> {
    const places = this.#placesOf(request);
    if (!places) return await work();
    return await places.run(request.owner, async () => {
      // What came from others meanwhile is taken first.
      await setImmediate();
      return await work();
    });
  }

  /** Notes how many characters the answer to a request had. */
  answered({ owner, bytes, change }: Sized, characters: number): void {
    const isLarge = change !== undefined && bytes < LARGE_BYTES && characters >= LARGE_BYTES;
    if (isLarge) this.#lately.set(`${owner} ${change}`, true);
  }

  #placesOf({ owner, bytes, change }: Sized): PlacesInTurns | undefined {
    if (bytes > BODY_LIMIT) return this.#pictures;
    if (bytes >= LARGE_BYTES) return this.#large;
    return change !== undefined && this.#lately.has(`${owner} ${change}`) ? this.#answers : undefined;
  }
}

function tooMany(): PublicError {
  return new PublicError("service_unavailable", "Too many requests with large bodies are under way.");
}

function tooManyPictures(): PublicError {
  return new PublicError("service_unavailable", "Too many pictures at once: send it again in a moment.");
}
