import { Code, ConnectError, type Interceptor } from "@connectrpc/connect";

/**
 * Answers a call at its deadline, at the latest after `mostMs`, or when its caller cancels it, even if its work is
 * still waiting. A decided write is completed in any case: its idempotency key gives the outcome. Errors:
 * deadline_exceeded, canceled.
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
