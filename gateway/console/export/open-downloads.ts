import { endUnread, hasLeft } from "../../unread-answer.ts";
import { Places } from "../places.ts";
import type { Visit } from "../visit.ts";

const BOUNDS = { all: 16, ofOne: 4 };

/**
 * Bounds the downloads of this process that are under way: each holds pages of rows until its client reads them. One of
 * which nothing is read for 30 seconds is cut off.
 */
export class OpenDownloads {
  readonly #stallMs: number | undefined;
  readonly #places = new Places(BOUNDS);

  constructor(stallMs?: number) {
    this.#stallMs = stallMs;
  }

  /** Counts a tenant's download until it is made and closed. Throws Refused if there are too many. */
  hold(visit: Visit): void {
    this.#places.take(visit);
    const { raw } = visit.reply;
    if (!hasLeft(raw)) endUnread(raw, this.#stallMs);
  }
}

export const openDownloads = new OpenDownloads();
