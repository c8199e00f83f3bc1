import type { FastifyInstance, FastifyReply } from "fastify";
import { HEADERS } from "../contract/headers.ts";
import { holderAt, Occupancy, type Holder, type OccupancyBounds } from "../contract/occupancy.ts";
import { longestReadMs } from "../contract/reading-pace.ts";
import { PublicError } from "./transcode/errors.ts";
import { endSlow, endUnread, hasLeft } from "./unread-answer.ts";

const KIB = 1024;
const MIB = KIB * KIB;
// The kernel takes four smaller ones, all that a connection may have at once, even if the client reads nothing.
const COUNTED = 16 * KIB;
const LARGE = 256 * KIB;
const BYTES_OF_CHARACTER_MAX = 3;
// Each kind is counted apart, so that a client with many of the one can have the other.
const BOUNDS: Readonly<Record<"medium" | "large", OccupancyBounds>> = {
  medium: { all: 64 * MIB, ofOne: 16 * MIB, ofGroup: 24 * MIB },
  large: { all: 128 * MIB, ofOne: 32 * MIB, ofGroup: 48 * MIB },
};

/**
 * Bounds the answers from 16 KiB on that clients have not read yet: a page of payments has up to 6 MB where each has as much
 * metadata as it may. An answer of which nothing is read for 30 seconds, or that is read slower than at the least pace, is cut off.
 */
export class LargeAnswers {
  readonly #stallMs: number | undefined;
  readonly #medium: Occupancy;
  readonly #large: Occupancy;

  constructor({ medium, large } = BOUNDS, stallMs?: number) {
    this.#medium = new Occupancy(medium);
    this.#large = new Occupancy(large);
    this.#stallMs = stallMs;
  }

  /**
   * Counts an answer for its holder, a tenant in a mode or a network, until it is read or its connection ends. The answer
   * of a change is counted and never refused, because the change is made. Errors: rate_limited; service_unavailable for a
   * large one.
   */
  hold(holder: Holder, body: string | Uint8Array, { raw }: FastifyReply, isOfChange = false): void {
    const bytes = bytesOf(body);
    // A client that left during the call has no answer to read, and "close" does not come again.
    if (bytes < COUNTED || hasLeft(raw)) return;
    const held = bytes < LARGE ? this.#medium : this.#large;
    const exceeded = isOfChange ? undefined : held.exceeded(holder, bytes);
    if (exceeded === "ofOne") {
      throw new PublicError(
        "rate_limited",
        "Read the large answers that were asked for before you ask for more.",
      );
    }
    // Medium ones are most pages: strangers of many networks must not take them from everyone.
    if (exceeded && bytes >= LARGE) {
      throw new PublicError("service_unavailable", "Too many large answers are under way.");
    }
    held.add(holder, bytes);
    raw.once("close", () => held.add(holder, -bytes));
    endUnread(raw, this.#stallMs);
    endSlow(raw, longestReadMs(bytes, this.#stallMs));
  }
}

/** Bounds the unread pages of a plugin by the network of their readers. A refusal is a short text. */
export function boundUnreadPages(app: FastifyInstance, answers = new LargeAnswers()): void {
  app.addHook("onSend", (request, reply, payload: unknown, done) => {
    const isText = typeof payload === "string" || payload instanceof Uint8Array;
    if (!isText || request.method === "HEAD") {
      done(null, payload);
      return;
    }
    try {
      answers.hold(holderAt(request.ip), payload, reply);
      done(null, payload);
    } catch (error) {
      if (!(error instanceof PublicError)) throw error;
      reply.code(error.status).header(HEADERS.retryAfter, "5").type("text/plain; charset=utf-8");
      done(null, error.message);
    }
  });
}

/** Returns the length in bytes; of a text that is not counted in any case, 0. */
function bytesOf(body: string | Uint8Array): number {
  if (typeof body !== "string") return body.byteLength;
  return body.length * BYTES_OF_CHARACTER_MAX < COUNTED ? 0 : Buffer.byteLength(body);
}
