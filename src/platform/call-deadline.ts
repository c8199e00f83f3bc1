import { Code, ConnectError } from "@connectrpc/connect";
import { tooLate } from "./grpc/deadline.ts";

// The maximum time of a timer.
const TIMER_MS_MAX = 2 ** 31 - 1;
// A timer for every call costs more than the rest of the call.
const EXACT_MS_MAX = 1000;
const SWEEP_MS = 100;

const waits = new Set<{ readonly endsAtMs: number; readonly callBack: () => void }>();
let sweeper: NodeJS.Timeout | undefined;

/** The deadline of a call, with the caller's signal to cancel it. Its own signal is created on first use. */
export class CallDeadline {
  readonly #endsAtMs: number | undefined;
  readonly #caller: AbortSignal | undefined;
  #controller: AbortController | undefined;
  #over: ConnectError | undefined;

  constructor(timeoutMs: number | undefined, caller: AbortSignal | undefined) {
    this.#caller = caller;
    if (timeoutMs !== undefined) this.#endsAtMs = performance.now() + timeoutMs;
  }

  get signal(): AbortSignal {
    if (!this.#controller) {
      this.#controller = new AbortController();
      if (this.#over) this.#controller.abort(this.#over);
    }
    return this.#controller.signal;
  }

  /** Returns the remaining time, or undefined if there is no deadline. */
  leftMs(): number | undefined {
    return this.#endsAtMs === undefined ? undefined : this.#endsAtMs - performance.now();
  }

  /**
   * Returns the result of the work, if it ends in time. Otherwise the work goes on, so that a decision is carried out.
   * Errors besides the work's: deadline_exceeded, canceled.
   */
  async keep<T>(work: () => Promise<T>): Promise<T> {
    const leftMs = this.leftMs() ?? Infinity;
    if (this.#caller?.aborted) throw this.#end(canceledBy(this.#caller));
    if (leftMs <= 0) throw this.#end(tooLate());
    return await new Promise((resolve, reject) => {
      const cancel = (): void => reject(this.#end(canceledBy(this.#caller)));
      const stopWaiting = whenOver(leftMs, () => reject(this.#end(tooLate())));
      this.#caller?.addEventListener("abort", cancel, { once: true });
      const settle = (): void => {
        stopWaiting();
        this.#caller?.removeEventListener("abort", cancel);
      };
      Promise.try(work).then(
        (value) => {
          settle();
          resolve(value);
        },
        (error: unknown) => {
          settle();
          reject(error);
        },
      );
    });
  }

  #end(error: ConnectError): ConnectError {
    this.#over = error;
    this.#controller?.abort(error);
    return error;
  }
}

function canceledBy(caller: AbortSignal | undefined): ConnectError {
  return ConnectError.from(caller?.reason, Code.Canceled);
}

/**
 * Calls back when the time is over, and returns a function that prevents it. One shared timer checks all long times.
 */
function whenOver(leftMs: number, callBack: () => void): () => void {
  if (leftMs > TIMER_MS_MAX) return () => undefined;
  if (leftMs < EXACT_MS_MAX) {
    const timer = setTimeout(callBack, leftMs);
    return () => clearTimeout(timer);
  }
  const wait = { endsAtMs: performance.now() + leftMs, callBack };
  waits.add(wait);
  sweeper ??= setInterval(sweep, SWEEP_MS);
  return () => void waits.delete(wait);
}

function sweep(): void {
  const now = performance.now();
  for (const wait of waits) {
    if (wait.endsAtMs > now) continue;
    waits.delete(wait);
    wait.callBack();
  }
  if (waits.size > 0) return;
  clearInterval(sweeper);
  sweeper = undefined;
}
