import type { FastifyReply } from "fastify";
import { Occupancy, type Holder, type OccupancyBounds } from "../contract/occupancy.ts";
import { longestReadMs } from "../contract/reading-pace.ts";
import { PublicError } from "./transcode/errors.ts";
import { endSlow, endUnread } from "./unread-answer.ts";

const MIB = 1024 ** 2;
// Smaller answers fit the kernel's buffers, so that a client that reads nothing holds little here.
const LARGE = 256 * 1024;
const BOUNDS: OccupancyBounds = { all: 128 * MIB, ofOne: 32 * MIB, ofGroup: 48 * MIB };

/**
 * Bounds the large answers that clients have not read yet: a page of payments has up to 6 MB where each has as much
 * metadata as it may. An answer of which nothing is read for 30 seconds, or that is read slower than at the least pace, is cut off.
 */
export class LargeAnswers {
  readonly #stallMs: number | undefined;
  readonly #held: Occupancy;

  constructor(bounds = BOUNDS, stallMs?: number) {
    this.#held = new Occupancy(bounds);
    this.#stallMs = stallMs;
  }

  /**
   * Counts an answer for its holder, a tenant in a mode or a network, until it is read or its connection ends. Errors:
   * rate_limited, service_unavailable.
   */
  hold(holder: Holder, { length }: { readonly length: number }, { raw }: FastifyReply): void {
    // A client that left during the call has no answer to read, and "close" does not come again.
    if (length < LARGE || raw.destroyed || raw.closed || raw.req.socket.destroyed) return;
    const exceeded = this.#held.exceeded(holder, length);
    if (exceeded === "ofOne") {
      throw new PublicError(
        "rate_limited",
        "Read the large answers that were asked for before you ask for more.",
      );
    }
    if (exceeded) throw new PublicError("service_unavailable", "Too many large answers are under way.");
    this.#held.add(holder, length);
    raw.once("close", () => this.#held.add(holder, -length));
    endUnread(raw, this.#stallMs);
    endSlow(raw, longestReadMs(length, this.#stallMs));
  }
}
