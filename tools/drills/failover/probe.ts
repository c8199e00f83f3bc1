import { setTimeout as delay } from "node:timers/promises";
import type { Http, HttpRequest } from "../http.ts";

const PAUSE_MS = 100;
const TIMEOUT_MS = 60_000;

/** Asks the same again and again, one request at a time, and keeps how long the longest took. */
export class Probe {
  /** To its answer or failure of any kind. */
  longestMs = 0;
  readonly #http: Http;
  readonly #request: HttpRequest;
  readonly #stop = new AbortController();
  readonly #ended: Promise<void>;

  constructor(http: Http, request: HttpRequest) {
    this.#http = http;
    this.#request = request;
    this.#ended = this.#run();
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#ended;
  }

  async #run(): Promise<void> {
    while (!this.#stop.signal.aborted) {
      const startMs = performance.now();
      await this.#http.send(this.#request, TIMEOUT_MS).catch(() => undefined);
      this.longestMs = Math.max(this.longestMs, performance.now() - startMs);
      await delay(PAUSE_MS);
    }
  }
}
