import type { FastifyReply } from "fastify";
import type { ServerResponse } from "node:http";
import { HEADERS } from "../../contract/headers.ts";
import { noteStream } from "../http/request-observer.ts";
import { hasLeft } from "../http/permits.ts";
import { OpenStreams, type StreamKeys } from "./streams.ts";

const DEFAULT_POLL_MS = 1500;
const STREAM_MS = 120_000;

/** Server-sent events with a page's state when it changes. Streams of one page share one poll of the core. */
export class Watches {
  readonly #pollMs: number;
  readonly #pages = new Map<string, PageWatch>();
  readonly #open = new OpenStreams();
  /** The reads in progress. */
  readonly #looks = new Set<Promise<void>>();
  readonly #streamMs: number;

  /** `pollMs`: milliseconds between two reads of a page's state. `streamMs`: the longest time of a stream. */
  constructor(pollMs = DEFAULT_POLL_MS, streamMs = STREAM_MS) {
    this.#pollMs = pollMs;
    this.#streamMs = streamMs;
  }

  /** Writes the state and each change of it, until the payer leaves, the stream times out or the server stops. */
  async stream(keys: StreamKeys, reply: FastifyReply, read: () => Promise<string>): Promise<void> {
    if (!this.#open.hasRoom(keys)) return await refuse(reply);
    // Throws when there is no such page, before anything is written.
    const state = await read();
    const { raw } = reply;
    if (hasLeft(raw)) return;
    // Other streams may have opened during the read.
    if (!this.#open.hasRoom(keys)) return await refuse(reply);
    const { page } = keys;
    reply.hijack();
    raw.writeHead(200, {
      ...(reply.getHeaders() as Record<string, string>),
      "content-type": "text/event-stream; charset=utf-8",
      "cache-control": "no-store",
      "x-accel-buffering": "no",
    });
    raw.write(`data: ${state}\n\n`);
    noteStream(reply.request);
    this.#open.add(keys);
    const watch = this.#pages.get(page) ?? this.#watch(page, { read, state });
    watch.add(raw, state);
    const timer = setTimeout(() => watch.end(raw), this.#streamMs);
    raw.once("close", () => {
      clearTimeout(timer);
      this.#open.remove(keys);
      watch.remove(raw);
    });
  }

  #watch(page: string, { read, state }: Pick<WatchedPage, "read" | "state">): PageWatch {
    const onEmpty = (): void => void this.#pages.delete(page);
    const watch = new PageWatch({ read, state, looks: this.#looks, pollMs: this.#pollMs, onEmpty });
    this.#pages.set(page, watch);
    return watch;
  }

  /** Ends every stream when the server stops, and waits for the reads in progress. */
  async close(): Promise<void> {
    for (const watch of this.#pages.values()) watch.endAll();
    await Promise.all(this.#looks);
  }
}

async function refuse(reply: FastifyReply): Promise<void> {
  await reply.code(503).header(HEADERS.retryAfter, "5").send();
}

interface WatchedPage {
  readonly read: () => Promise<string>;
  /** The state that the first stream has. */
  readonly state: string;
  /** Gets each read while it is in progress. */
  readonly looks: Set<Promise<void>>;
  readonly pollMs: number;
  /** Is called once, when the last stream has left. */
  readonly onEmpty: () => void;
}

/** Polls the state of one page for all its streams, until the last one leaves. */
class PageWatch {
  readonly #streams = new Set<ServerResponse>();
  readonly #page: WatchedPage;
  /** What all streams have. Undefined: they differ. */
  #state: string | undefined;
  #timer: NodeJS.Timeout;

  constructor(page: WatchedPage) {
    this.#page = page;
    this.#state = page.state;
    this.#timer = this.#lookLater();
  }

  /** Adds a stream that has this state. It may have been read before a change that the others have, or after. */
  add(stream: ServerResponse, state: string): void {
    this.#streams.add(stream);
    if (state !== this.#state) this.#state = undefined;
  }

  remove(stream: ServerResponse): void {
    if (!this.#streams.delete(stream) || this.#streams.size > 0) return;
    clearTimeout(this.#timer);
    this.#page.onEmpty();
  }

  /** Ends a stream. Its client may read the end much later, and to write more would be a fault of the process. */
  end(stream: ServerResponse): void {
    this.remove(stream);
    stream.end();
  }

  endAll(): void {
    for (const stream of this.#streams) this.end(stream);
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
      for (const stream of this.#streams) stream.write(line);
    } catch {
      // The pages poll by themselves after this.
      this.endAll();
    }
    if (this.#streams.size > 0) this.#timer = this.#lookLater();
  }
}
