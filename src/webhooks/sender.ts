import type { LookupFunction } from "node:net";
import type { Agent } from "undici";
import { HEADERS } from "../../contract/headers.ts";
import { undici } from "../platform/outside/lazy-undici.ts";
import { allowedLookup, isAddressRefused, type AddressPolicy } from "../platform/outside/outside-address.ts";
import { outsideAgent } from "../platform/outside/outside-agent.ts";
import { readEndpointUrl } from "./endpoint-address.ts";

/** The reason of a failed attempt. */
type AttemptError =
  | "timeout"
  | "address_refused"
  | "name_not_resolved"
  | "connection_failed"
  | "tls_failed"
  | "bad_status";

/** The result of one attempt. */
export interface Answer {
  /** Null if there was no response. */
  readonly statusCode: number | null;
  /** Null on success. */
  readonly error: AttemptError | null;
  readonly latencyMs: number;
  /** The beginning of the response's body. */
  readonly responseBody: string;
  readonly retryAfter: string | undefined;
}

export interface SenderOptions {
  readonly policy: AddressPolicy;
  readonly lookup: LookupFunction;
  /** Time from the start of an attempt to the last byte of its response. */
  readonly timeoutMs: number;
}

const READ_BYTES_MAX = 64 * 1024;
const KEPT_BYTES_MAX = 4 * 1024;
const NAME_FAILURE =
  /^(ENOTFOUND|ENODATA|ESERVFAIL|EREFUSED|EBADRESP|EBADNAME|ECANCELLED|EFORMERR|EAI_AGAIN|EDNSTIMEOUT)$/;
const TLS_FAILURE =
  /^(ERR_TLS|ERR_SSL|CERT_|EPROTO|UNABLE_TO_|SELF_SIGNED|DEPTH_ZERO|HOSTNAME_MISMATCH|ERR_OSSL)/;
const TIMEOUT = /^UND_ERR_(CONNECT|HEADERS|BODY)_TIMEOUT$/;

/**
 * Posts to endpoints. The address is checked at each connection by the rules of registration, whatever its name
 * resolved to before. Redirects are not followed, and no proxy is used.
 */
export class Sender {
  readonly #options: SenderOptions;
  #agent: Agent | undefined;

  constructor(options: SenderOptions) {
    this.#options = options;
  }

  async post(address: string, headers: Record<string, string>, body: Buffer): Promise<Answer> {
    const startedMs = performance.now();
    const signal = AbortSignal.timeout(this.#options.timeoutMs);
    const ended = (answer: Omit<Answer, "latencyMs">): Answer => ({
      ...answer,
      latencyMs: Math.round(performance.now() - startedMs),
    });
    const seen: Seen = { statusCode: null, responseBody: "", retryAfter: undefined };
    try {
      // A host that is an IP address is never looked up, so it is checked here.
      const url = readEndpointUrl(address, this.#options.policy);
      const response = await undici().request(url, {
        dispatcher: this.#connections(),
        method: "POST",
        headers,
        body,
        signal,
      });
      seen.statusCode = response.statusCode;
      const retryAfter = response.headers[HEADERS.retryAfter];
      seen.retryAfter = Array.isArray(retryAfter) ? retryAfter[0] : retryAfter;
      for await (const text of beginning(response.body)) seen.responseBody = text;
      const isGood = seen.statusCode >= 200 && seen.statusCode < 300;
      return ended({ ...seen, error: isGood ? null : "bad_status" });
    } catch (error) {
      return ended({ ...seen, error: signal.aborted ? "timeout" : errorOf(error) });
    }
  }

  /** They are not reused: the next attempt resolves the name again. */
  #connections(): Agent {
    const { lookup, policy, timeoutMs } = this.#options;
    return (this.#agent ??= outsideAgent({
      lookup: allowedLookup(lookup, policy),
      connectMs: timeoutMs,
      answerMs: timeoutMs,
      isKept: false,
    }));
  }
}

/** The parts of a response that have arrived. */
interface Seen {
  statusCode: number | null;
  responseBody: string;
  retryAfter: string | undefined;
}

/** Reads a response to its end or to the limit, and yields its beginning as it grows. */
async function* beginning(body: AsyncIterable<Buffer>): AsyncGenerator<string> {
  let kept = Buffer.alloc(0);
  let readCount = 0;
  for await (const chunk of body) {
    if (kept.length < KEPT_BYTES_MAX) {
      kept = Buffer.concat([kept, chunk.subarray(0, KEPT_BYTES_MAX - kept.length)]);
      // PostgreSQL cannot store NUL in a text.
      yield kept.toString("utf8").replaceAll("\0", "\u{FFFD}");
    }
    readCount += chunk.length;
    if (readCount >= READ_BYTES_MAX) break;
  }
}

function errorOf(error: unknown): AttemptError {
  if (!(error instanceof Error)) return "connection_failed";
  if (isAddressRefused(error)) return "address_refused";
  const code = "code" in error ? String(error.code) : "";
  if (NAME_FAILURE.test(code)) return "name_not_resolved";
  if (TIMEOUT.test(code)) return "timeout";
  return TLS_FAILURE.test(code) ? "tls_failed" : "connection_failed";
}
