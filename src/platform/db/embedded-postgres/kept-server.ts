import { setTimeout as delay } from "node:timers/promises";
import { ownLogTail } from "./log-file.ts";
import type { SupervisedServer } from "./supervised-server.ts";

export interface KeptServerOptions {
  readonly start: () => Promise<SupervisedServer>;
  readonly logFile: string;
  /** Maximum number of restarts within the window. */
  readonly restartsMax: number;
  /** Is called for each unexpected end before a restart: how the server ended, with the last lines of its log. */
  readonly onRestart: (detail: string) => void;
}

const WINDOW_MS = 600_000;
const PAUSE_MS = 200;

/** A server that is restarted when it ends unexpectedly, a limited number of times. */
export class KeptServer {
  /** Resolves with the reason when the server has ended unexpectedly and for good, or with undefined after `stop`. */
  readonly ended: Promise<string | undefined>;
  readonly #options: KeptServerOptions;
  #server: SupervisedServer;
  #restartsMs: number[] = [];
  #isStopping = false;

  constructor(first: SupervisedServer, options: KeptServerOptions) {
    this.#server = first;
    this.#options = options;
    this.ended = this.#keep();
  }

  /** Requests a fast shutdown, and resolves when the server is gone. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    this.#server.shutDown();
    await this.#server.gone;
    // A server that is just starting is stopped as soon as it runs.
    await this.ended;
  }

  async #keep(): Promise<string | undefined> {
    for (;;) {
      this.#server.unref();
      const how = await this.#server.exited;
      if (this.#isStopping) return undefined;
      const given = await this.#restart(
        `PostgreSQL ${how}.\n${await ownLogTail(this.#options.logFile)}`.trim(),
      );
      if (given !== undefined) return given;
      if (this.#isStopping) {
        this.#server.shutDown();
        await this.#server.gone;
        return undefined;
      }
    }
  }

  /** Returns the reason if there are no more restarts, or undefined if a server runs again or `stop` was called. */
  async #restart(first: string): Promise<string | undefined> {
    const { start, restartsMax, onRestart } = this.#options;
    let detail = first;
    for (let pauseMs = PAUSE_MS; !this.#isStopping; pauseMs *= 2) {
      const now = performance.now();
      this.#restartsMs = this.#restartsMs.filter((atMs) => now - atMs < WINDOW_MS);
      if (this.#restartsMs.length >= restartsMax) {
        return `${detail}\nIt was started anew ${restartsMax} times within ${WINDOW_MS / 60_000} minutes: no more.`;
      }
      this.#restartsMs.push(now);
      onRestart(detail);
      try {
        this.#server = await start();
        return undefined;
      } catch (error) {
        // The rest of the message may have log lines that must not be shown.
        const how = error instanceof Error ? (error.message.split("\n")[0] ?? "") : String(error);
        detail = `${how}\n${await ownLogTail(this.#options.logFile)}`.trim();
      }
      await delay(pauseMs);
    }
    return undefined;
  }
}
