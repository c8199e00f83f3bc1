import { Code, ConnectError, type Interceptor } from "@connectrpc/connect";

/**
 * Answers a call when its deadline passes, at the latest after `mostMs`, or its caller goes away, whatever the work on
 * it still waits for.
 * A write that was decided is carried through all the same: its idempotency key tells what it came to.
 * Errors: deadline_exceeded, canceled.
 */
export function endOnTime(mostMs: number): Interceptor {
  return (next) => async (request) => {
    const { signal } = request;
    if (request.stream) return await next(request);
    const { promise: over, reject } = Promise.withResolvers<never>();
    const end = (): void => reject(ConnectError.from(signal.reason, Code.Canceled));
    if (signal.aborted) end();
    else signal.addEventListener("abort", end, { once: true });
    const timer = setTimeout(() => reject(tooLate()), mostMs);
    try {
      return await Promise.race([over, next(request)]);
    } finally {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
    }
  };
}

export function tooLate(): ConnectError {
  return new ConnectError("The call took too long.", Code.DeadlineExceeded);
}
