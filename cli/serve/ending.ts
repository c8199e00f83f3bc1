import { setTimeout as wait } from "node:timers/promises";
import type { Readiness } from "../../src/platform/observe/readiness.ts";
import type { DrainingServer, DrainLimits } from "./draining-server.ts";
import type { OpenLog } from "../observe/log.ts";

/** A running part and the function that stops it. */
interface Stoppable {
  stop(): Promise<unknown>;
}

export interface EndingOptions {
  readonly log: OpenLog;
  readonly readiness: Readiness;
  /** Pause between "not ready" and the closing of the servers, for load balancers to notice. */
  readonly delayMs: number;
  /** Limit for requests in progress, from the closing of the servers. */
  readonly timeoutMs: number;
}

const GRACE_MS = 500;
// Time for the parts behind the servers when these had to be closed by force.
const REST_MS = 4000;
// For one Ctrl-C, the terminal and npm both send a signal.
const SAME_SIGNAL_MS = 500;

/** Ends the process in order: readiness, servers and work, then what both depend on. */
export class Ending {
  readonly #options: EndingOptions;
  readonly #servers: DrainingServer[] = [];
  readonly #work: Stoppable[] = [];
  readonly #base: Stoppable[] = [];
  #startedMs: number | undefined;

  constructor(options: EndingOptions) {
    this.#options = options;
  }

  /** These are closed first, all at once. */
  addServer(server: DrainingServer): void {
    this.#servers.push(server);
  }

  /** This is stopped while the servers close. */
  addWork(part: Stoppable): void {
    this.#work.push(part);
  }

  /** These are stopped last, in the reverse order of their start. */
  addBase(part: Stoppable): void {
    this.#base.push(part);
  }

  /**
   * Ends the process in order at the first signal, and at once at the second or at an uncaught error. One of several
   * siblings ignores signals: its primary gets them too, and decides.
   */
  listen(isSibling = false): void {
    const { log } = this.#options.log;
    for (const signal of ["SIGTERM", "SIGINT"] as const)
      process.on(signal, () => void (isSibling || this.end(signal)));
    const onFault = (error: unknown): void => {
      log.fatal({ err: error }, "ended by a fault");
      process.exit(1);
    };
    process.on("uncaughtException", onFault);
    process.on("unhandledRejection", onFault);
  }

  /** Ends the process in order, or at once if it is ending already. */
  async end(signal: NodeJS.Signals): Promise<void> {
    const { log } = this.#options.log;
    if (this.#startedMs !== undefined) {
      if (performance.now() - this.#startedMs < SAME_SIGNAL_MS) return;
      log.fatal({ signal }, "ended by a second signal");
      process.exit(1);
    }
    this.#startedMs = performance.now();
    try {
      await this.#end(signal);
      log.info("stopped");
      process.exit(0);
    } catch (error) {
      log.fatal({ err: error }, "could not stop cleanly");
      process.exit(1);
    }
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const { log, readiness, delayMs, timeoutMs } = this.#options;
    readiness.startDraining();
    log.log.info({ signal }, "draining");
    log.flush();
    if (delayMs > 0) await wait(delayMs);
    setTimeout(() => {
      log.log.fatal("could not stop in time");
      process.exit(1);
    }, timeoutMs + REST_MS).unref();
    log.log.info("stopping");
    const limits: DrainLimits = { graceMs: Math.min(GRACE_MS, timeoutMs), timeoutMs };
    await Promise.all([
      ...this.#servers.map(async (server) => await server.close(limits)),
      ...this.#work.map(async (part) => await part.stop()),
    ]);
    for (const part of this.#base.toReversed()) await part.stop();
  }
}
