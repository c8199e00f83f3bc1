import { Code, ConnectError } from "@connectrpc/connect";
import { tooLate } from "./grpc/deadline.ts";

// What a timer holds.
const TIMER_MS_MAX = 2 ** 31 - 1;
// A timer of its own for every call costs more than the call's other parts.
const EXACT_MS_MAX = 1000;
const SWEEP_MS = 100;

const waits = new Set<{ readonly endsAtMs: number; readonly callBack: () => void }>();
let sweeper: NodeJS.Timeout | undefined;

/** How long a call may take, and who may break it off. The signal is made only for those who look at it. */
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

  /** What is left of the time; undefined when there is no end to it. */
  leftMs(): number | undefined {
    return this.#endsAtMs === undefined ? undefined : this.#endsAtMs - performance.now();
  }

  /**
   * What the work comes to, if it does in time; it goes on all the same, so that what was decided is carried through.
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

/** Calls back when the time is over; returns what prevents that. Long times are looked at now and then, all by one timer. */
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
