import { ConnectionError } from "./errors.ts";

/** How a call is tried again. */
export interface RetryOptions {
  /** How often a call is tried at most; absent: 4. */
  readonly triesMax?: number;
  /** How long one try may take, in milliseconds; absent: 30 000. */
  readonly timeoutMs?: number;
  /** The first pause, in milliseconds, which doubles from try to try; absent: 500. */
  readonly pauseMs?: number;
  /** The longest pause that is waited if the service wishes it, in seconds; absent: 60. With a longer one, the call ends. */
  readonly retryAfterSecondsMax?: number;
  /** Absent: the platform's own. */
  readonly fetch?: (request: Request) => Promise<Response>;
}

const JITTER = 0.25;

/**
 * Returns a fetch that tries again what may succeed later: no whole answer, 429 and 5xx. A request that changes something
 * and has no idempotency key is tried again after 429 alone, as then nothing was done. Error: ConnectionError.
 */
export function retrying(options: RetryOptions): (request: Request) => Promise<Response> {
  const { triesMax = 4, timeoutMs = 30_000, pauseMs = 500, retryAfterSecondsMax = 60 } = options;
  const send = options.fetch ?? fetch;

  /**
   * Reads the answer to its end: one that is cut off is no answer, and neither is a page of what is in between. The API
   * redirects nothing; a redirect that is followed makes a GET of a POST, and its answer another one.
   */
  async function read(request: Request, signal: AbortSignal): Promise<Response> {
    const response = await send(new Request(request.clone(), { signal, redirect: "manual" }));
    const body = await response.arrayBuffer();
    const { ok, status, statusText, headers } = response;
    if (ok && !headers.get("content-type")?.startsWith("application/json")) {
      throw new Error(`The answer ${status} is not JSON.`);
    }
    if (ok && !isWhole(body)) throw new Error(`The answer ${status} is not whole.`);
    return new Response(body.byteLength === 0 ? null : body, { status, statusText, headers });
  }

  /** Ends by itself: a Request refers to its signal weakly, and fetch may never learn that it was aborted. */
  async function attempt(request: Request): Promise<Response> {
    request.signal.throwIfAborted();
    const end = new AbortController();
    const ended = new Promise<never>((_, reject) => {
      end.signal.addEventListener("abort", () => reject(end.signal.reason as Error));
    });
    const stop = (): void => end.abort(request.signal.reason);
    const timer = setTimeout(
      () => end.abort(new DOMException("No answer in time.", "TimeoutError")),
      timeoutMs,
    );
    request.signal.addEventListener("abort", stop);
    try {
      return await Promise.race([read(request, end.signal), ended]);
    } finally {
      clearTimeout(timer);
      request.signal.removeEventListener("abort", stop);
    }
  }

  return async (request) => {
    const key = request.headers.get("idempotency-key");
    const isSafe = request.method === "GET" || key !== null;
    for (let tries = 1; ; tries += 1) {
      const answer = await attempt(request).catch((cause: unknown) => {
        if (request.signal.aborted) throw request.signal.reason;
        if (!isSafe || tries >= triesMax)
          throw new ConnectionError(new URL(request.url).origin, tries, key, cause);
        return undefined;
      });
      const wishedSeconds = answer ? (retryAfterSeconds(answer.headers) ?? 0) : 0;
      if (answer) {
        const mayRetry = answer.status === 429 || (answer.status >= 500 && isSafe);
        if (!mayRetry || tries >= triesMax || wishedSeconds > retryAfterSecondsMax) return answer;
      }
      const ownMs = pauseMs * 2 ** (tries - 1) * (1 + JITTER * Math.random());
      await pause(Math.max(ownMs, wishedSeconds * 1000), request.signal);
    }
  };
}

/** Returns whether it is an object, as every success is. One of unknown length that is cut off ends as a whole one does. */
function isWhole(body: ArrayBuffer): boolean {
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(body));
    return typeof value === "object" && value !== null;
  } catch {
    return false;
  }
}

/** Returns the pause that an answer's Retry-After wishes, in seconds or until a date; null: it has none. */
export function retryAfterSeconds(headers: Headers): number | null {
  const text = headers.get("retry-after");
  if (text === null) return null;
  const seconds = /^\d+$/.test(text) ? Number(text) : (Date.parse(text) - Date.now()) / 1000;
  return Number.isNaN(seconds) ? null : Math.max(seconds, 0);
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", stop);
      resolve();
    }, ms);
    function stop(): void {
      clearTimeout(timer);
      reject(signal.reason as Error);
    }
    signal.addEventListener("abort", stop, { once: true });
  });
}
