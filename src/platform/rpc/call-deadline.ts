import { Code, ConnectError } from "@connectrpc/connect";
import { tooLate } from "../grpc/deadline.ts";

// The maximum time of a timer.
const TIMER_MS_MAX = 2 ** 31 - 1;
// A timer for every call costs more than the rest of the call.
const EXACT_MS_MAX = 1000;
const SWEEP_MS = 100;

const waits = new Set<CallDeadline>();
let sweeper: NodeJS.Timeout | undefined;

/** The deadline of a call, with the caller's signal to cancel it. Its own signal is created on first use. */
export class CallDeadline {
  readonly #endsAtMs: number;
  readonly #caller: AbortSignal | undefined;
  #controller: AbortController | undefined;
  #over: ConnectError | undefined;
  #reject: ((error: ConnectError) => void) | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(timeoutMs: number | undefined, caller: AbortSignal | undefined) {
    this.#caller = caller;
    this.#endsAtMs = timeoutMs === undefined ? Infinity : performance.now() + timeoutMs;
  }

  get signal(): AbortSignal {
    if (!this.#controller) {
      this.#controller = new AbortController();
      if (this.#over) this.#controller.abort(this.#over);
    }
    return this.#controller.signal;
  }

  /** Returns the remaining time, or undefined if there is no deadline. A timer may fire a little early. */
  leftMs(): number | undefined {
    if (this.#endsAtMs === Infinity) return undefined;
    return this.#over ? 0 : this.#endsAtMs - performance.now();
  }

  /**
   * Returns the result of the work, if it ends in time. Otherwise the work goes on, so that a decision is carried out.
   * Errors besides the work's: deadline_exceeded, canceled.
   */
  keep<T>(work: () => Promise<T>): Promise<T> {
    const leftMs = this.leftMs() ?? Infinity;
    if (this.#caller?.aborted) return Promise.reject(this.#end(canceledBy(this.#caller)));
    if (leftMs <= 0) return Promise.reject(this.#end(tooLate()));
    return new Promise((resolve, reject) => {
      this.#reject = reject;
      this.#wait(leftMs);
      Promise.try(work).then(
        (value) => {
          this.#stopWaiting();
          resolve(value);
        },
        (error: unknown) => {
          this.#stopWaiting();
          reject(error);
        },
      );
    });
  }

  /** Ends the call if its time is over at `nowMs`. */
  check(nowMs: number): void {
    if (this.#endsAtMs > nowMs) return;
    waits.delete(this);
    this.#reject?.(this.#end(tooLate()));
  }

  /** The caller's signal calls this. */
  handleEvent(): void {
    this.#reject?.(this.#end(canceledBy(this.#caller)));
  }

  /** One shared timer checks all long times. */
  #wait(leftMs: number): void {
    this.#caller?.addEventListener("abort", this, { once: true });
    if (leftMs < EXACT_MS_MAX) this.#timer = setTimeout(() => this.check(Infinity), leftMs);
    else if (leftMs <= TIMER_MS_MAX) {
      waits.add(this);
      sweeper ??= setInterval(sweep, SWEEP_MS);
    }
  }

  #stopWaiting(): void {
    waits.delete(this);
    if (this.#timer) clearTimeout(this.#timer);
    this.#caller?.removeEventListener("abort", this);
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

function sweep(): void {
  const now = performance.now();
  for (const wait of waits) wait.check(now);
  if (waits.size > 0) return;
  clearInterval(sweeper);
  sweeper = undefined;
}
