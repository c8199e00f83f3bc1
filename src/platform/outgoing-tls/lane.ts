import { Worker, type MessagePort } from "node:worker_threads";
import { threadVariables } from "../../../contract/thread-variables.ts";
import type { ThreadNotice, ThreadRequest } from "./messages.ts";

interface LaneOptions {
  /** True: for owners whose handshakes are costly, which wait for each other here. */
  readonly isForCostly: boolean;
  readonly onNotice: (notice: ThreadNotice) => void;
}

const THREAD = new URL("thread.ts", import.meta.url);
const HEAP = { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 4 };

/** A thread that does TLS, from its first use on. One that has ended failed its connections, and another takes its place. */
export class Lane {
  readonly #options: LaneOptions;
  #running: Worker | undefined;

  constructor(options: LaneOptions) {
    this.#options = options;
  }

  /** It has none of the process's variables, and does not keep the process from ending. */
  thread(): Worker {
    if (this.#running) return this.#running;
    const { isForCostly, onNotice } = this.#options;
    const worker = new Worker(THREAD, {
      name: isForCostly ? "costly outgoing TLS" : "outgoing TLS",
      env: threadVariables(),
      execArgv: [],
      resourceLimits: HEAP,
      workerData: { isForCostly },
    });
    const ended = (): void => {
      if (this.#running === worker) this.#running = undefined;
    };
    worker.on("message", onNotice);
    worker.on("error", (fault: Error) => {
      onNotice({ kind: "fault", fault });
      ended();
    });
    worker.on("exit", ended);
    worker.unref();
    this.#running = worker;
    return worker;
  }

  /** Asks the thread, unless it does not run. */
  askIfRunning(request: ThreadRequest): void {
    if (this.#running) ask(this.#running, request);
  }
}

export function ask(worker: Worker, request: ThreadRequest, ports: readonly MessagePort[] = []): void {
  worker.postMessage(request, ports);
}
