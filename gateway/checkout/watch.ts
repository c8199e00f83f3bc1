import type { FastifyReply } from "fastify";
import { HEADERS } from "../../contract/headers.ts";
import { noteStream } from "../request-observer.ts";
import { OpenStreams, type StreamPlace } from "./streams.ts";

const DEFAULT_POLL_MS = 1500;
const STREAM_MS = 120_000;

/** Server-sent events with a page's state when it changes. Streams of one page share one poll of the core. */
export class Watches {
  readonly #pollMs: number;
  readonly #pages = new Map<string, PageWatch>();
  readonly #open = new OpenStreams();
  /** The reads in progress. */
  readonly #looks = new Set<Promise<void>>();

  /** `pollMs`: milliseconds between two reads of a page's state. */
  constructor(pollMs = DEFAULT_POLL_MS) {
    this.#pollMs = pollMs;
  }

  /** Writes the state and each change of it, until the payer leaves, the stream times out or the server stops. */
  async stream(place: StreamPlace, reply: FastifyReply, read: () => Promise<string>): Promise<void> {
    if (!this.#open.hasRoom(place)) return await refuse(reply);
    // Throws when there is no such page, before anything is written.
    const state = await read();
    const { raw } = reply;
    if (raw.destroyed) return;
    // Other streams may have opened during the read.
    if (!this.#open.hasRoom(place)) return await refuse(reply);
    const { page } = place;
    const watch =
      this.#pages.get(page) ?? new PageWatch({ read, state, looks: this.#looks, pollMs: this.#pollMs });
    reply.hijack();
    raw.writeHead(200, {
      ...(reply.getHeaders() as Record<string, string>),
      "content-type": "text/event-stream; charset=utf-8",
      "cache-control": "no-store",
      "x-accel-buffering": "no",
    });
    raw.write(`data: ${state}\n\n`);
    noteStream(reply.request);
    this.#pages.set(page, watch);
    this.#open.add(place);
    const leave = (): void => {
      watch.streams.delete(stream);
      if (watch.streams.size > 0) return;
      watch.stop();
      if (this.#pages.get(page) === watch) this.#pages.delete(page);
    };
    const stream: Stream = {
      write: (text) => void raw.write(text),
      end: () => {
        // It closes later, if it waits behind other answers of its connection: writing to it then would end the process.
        leave();
        raw.end();
      },
    };
    watch.streams.add(stream);
    const timer = setTimeout(stream.end, STREAM_MS);
    raw.once("close", () => {
      clearTimeout(timer);
      this.#open.remove(place);
      leave();
    });
  }

  /** Ends every stream when the server stops, and waits for the reads in progress. */
  async close(): Promise<void> {
    for (const { streams } of this.#pages.values()) for (const stream of streams) stream.end();
    await Promise.all(this.#looks);
  }
}

async function refuse(reply: FastifyReply): Promise<void> {
  await reply.code(503).header(HEADERS.retryAfter, "5").send();
}

interface Stream {
  readonly write: (text: string) => void;
  readonly end: () => void;
}

interface WatchedPage {
  readonly read: () => Promise<string>;
  /** The state that the first stream has. */
  readonly state: string;
  /** Gets each read while it is in progress. */
  readonly looks: Set<Promise<void>>;
  readonly pollMs: number;
}

/** Polls the state of one page for all its streams. */
class PageWatch {
  /** Those that have not ended. */
  readonly streams = new Set<Stream>();
  readonly #page: WatchedPage;
  #state: string;
  #timer: NodeJS.Timeout;

  constructor(page: WatchedPage) {
    this.#page = page;
    this.#state = page.state;
    this.#timer = this.#lookLater();
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  #lookLater(): NodeJS.Timeout {
    const { looks, pollMs } = this.#page;
    return setTimeout(() => {
      const look = this.#look();
      looks.add(look);
      void look.then(() => looks.delete(look));
    }, pollMs);
  }

  async #look(): Promise<void> {
    try {
      const state = await this.#page.read();
      const line = state === this.#state ? ": still\n\n" : `data: ${state}\n\n`;
      this.#state = state;
      for (const stream of this.streams) stream.write(line);
    } catch {
      // The pages poll by themselves after this.
      for (const stream of this.streams) stream.end();
    }
    if (this.streams.size > 0) this.#timer = this.#lookLater();
  }
}
