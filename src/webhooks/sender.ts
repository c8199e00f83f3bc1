import http, { type IncomingMessage, type RequestOptions } from "node:http";
import https from "node:https";
import type { LookupFunction } from "node:net";
import { RequestFilteringHttpAgent, RequestFilteringHttpsAgent } from "request-filtering-agent";
import { LOOPBACK_ADDRESSES, type AddressPolicy } from "./endpoint-address.ts";

/** Why an attempt failed. */
type AttemptError =
  | "timeout"
  | "address_refused"
  | "name_not_resolved"
  | "connection_failed"
  | "tls_failed"
  | "bad_status";

/** What became of one attempt. */
export interface Answer {
  /** Null when no answer came. */
  readonly statusCode: number | null;
  /** Null on success. */
  readonly error: AttemptError | null;
  readonly latencyMs: number;
  /** The beginning of the answer's body. */
  readonly responseBody: string;
  readonly retryAfter: string | undefined;
}

export interface SenderOptions {
  readonly policy: AddressPolicy;
  readonly lookup: LookupFunction;
  /** From the beginning of an attempt to the last byte of its answer. */
  readonly timeoutMs: number;
}

const READ_BYTES_MAX = 64 * 1024;
const KEPT_BYTES_MAX = 4 * 1024;
const TLS_FAILURE =
  /^(ERR_TLS|ERR_SSL|CERT_|EPROTO|UNABLE_TO_|SELF_SIGNED|DEPTH_ZERO|HOSTNAME_MISMATCH|ERR_OSSL)/;

/**
 * Posts to endpoints. Every address is looked at when the connection is made, whatever its name led to before;
 * redirects are not followed, and no proxy is used.
 */
export class Sender {
  readonly #options: SenderOptions;
  readonly #httpAgent: http.Agent;
  readonly #httpsAgent: https.Agent;

  constructor(options: SenderOptions) {
    this.#options = options;
    const allowIPAddressList = options.policy.isLoopbackAllowed ? [...LOOPBACK_ADDRESSES] : [];
    this.#httpAgent = new RequestFilteringHttpAgent({ allowIPAddressList });
    this.#httpsAgent = new RequestFilteringHttpsAgent({ allowIPAddressList });
  }

  async post(address: string, headers: Record<string, string>, body: Buffer): Promise<Answer> {
    const startedMs = performance.now();
    const signal = AbortSignal.timeout(this.#options.timeoutMs);
    const ended = (answer: Omit<Answer, "latencyMs">): Answer => ({
      ...answer,
      latencyMs: Math.round(performance.now() - startedMs),
    });
    try {
      const url = new URL(address);
      const isSecure = url.protocol === "https:";
      const response = await this.#request(isSecure, url, body, {
        method: "POST",
        headers: { ...headers, "content-length": String(body.length) },
        agent: isSecure ? this.#httpsAgent : this.#httpAgent,
        lookup: this.#options.lookup,
        signal,
      });
      const responseBody = await readBeginning(response);
      const statusCode = response.statusCode ?? 0;
      const error = statusCode >= 200 && statusCode < 300 ? null : "bad_status";
      return ended({ statusCode, error, responseBody, retryAfter: response.headers["retry-after"] });
    } catch (error) {
      const failed = { statusCode: null, responseBody: "", retryAfter: undefined };
      return ended({ ...failed, error: signal.aborted ? "timeout" : errorOf(error) });
    }
  }

  async #request(
    isSecure: boolean,
    url: URL,
    body: Buffer,
    options: RequestOptions,
  ): Promise<IncomingMessage> {
    return await new Promise((resolve, reject) => {
      const request = isSecure ? https.request(url, options) : http.request(url, options);
      request.on("response", resolve);
      request.on("error", reject);
      request.end(body);
    });
  }
}

/** Reads an answer to its end or to the limit, whichever comes first, and keeps its beginning. */
async function readBeginning(response: IncomingMessage): Promise<string> {
  const kept: Buffer[] = [];
  let read = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    if (read < KEPT_BYTES_MAX) kept.push(chunk.subarray(0, KEPT_BYTES_MAX - read));
    read += chunk.length;
    if (read >= READ_BYTES_MAX) break;
  }
  // PostgreSQL holds no NUL in a text.
  return Buffer.concat(kept).toString("utf8").replaceAll("\0", "\u{FFFD}");
}

function errorOf(error: unknown): AttemptError {
  if (!(error instanceof Error)) return "connection_failed";
  const code = "code" in error ? String(error.code) : "";
  // The filtering agent has no code of its own.
  if (code === "" && error.message.includes("is not allowed")) return "address_refused";
  if (code === "ENOTFOUND" || code === "EAI_AGAIN" || code === "ENODATA") return "name_not_resolved";
  return TLS_FAILURE.test(code) ? "tls_failed" : "connection_failed";
}
