import http, { type IncomingMessage, type RequestOptions } from "node:http";
import https from "node:https";
import type { LookupFunction } from "node:net";
import { allowedLookup, isAddressRefused, readEndpointUrl, type AddressPolicy } from "./endpoint-address.ts";

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

// Answers of 1xx before the answer itself.
const INTERIM_MAX = 10;
const READ_BYTES_MAX = 64 * 1024;
const KEPT_BYTES_MAX = 4 * 1024;
const NAME_FAILURE =
  /^(ENOTFOUND|ENODATA|ESERVFAIL|EREFUSED|EBADRESP|EBADNAME|EFORMERR|EAI_AGAIN|EDNSTIMEOUT)$/;
const TLS_FAILURE =
  /^(ERR_TLS|ERR_SSL|CERT_|EPROTO|UNABLE_TO_|SELF_SIGNED|DEPTH_ZERO|HOSTNAME_MISMATCH|ERR_OSSL)/;

/**
 * Posts to endpoints. Every address is judged when the connection is made, by the rules of registration and whatever its
 * name led to before; redirects are not followed, and no proxy is used.
 */
export class Sender {
  readonly #options: SenderOptions;
  readonly #lookup: LookupFunction;
  // Their connections are not kept: the next attempt looks the name up again.
  readonly #httpAgent = new http.Agent({ keepAlive: false });
  readonly #httpsAgent = new https.Agent({ keepAlive: false });

  constructor(options: SenderOptions) {
    this.#options = options;
    this.#lookup = allowedLookup(options.lookup, options.policy);
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
      // A host that is an IP address is never looked up.
      const url = readEndpointUrl(address, this.#options.policy);
      const isSecure = url.protocol === "https:";
      const response = await this.#request(isSecure, url, body, {
        method: "POST",
        headers: { ...headers, "content-length": String(body.length) },
        agent: isSecure ? this.#httpsAgent : this.#httpAgent,
        lookup: this.#lookup,
        signal,
      });
      seen.statusCode = response.statusCode ?? null;
      seen.retryAfter = response.headers["retry-after"];
      for await (const text of beginning(response)) seen.responseBody = text;
      const isGood = seen.statusCode !== null && seen.statusCode >= 200 && seen.statusCode < 300;
      return ended({ ...seen, error: isGood ? null : "bad_status" });
    } catch (error) {
      return ended({ ...seen, error: signal.aborted ? "timeout" : errorOf(error) });
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
      let interim = 0;
      const countInterim = (): void => {
        if (++interim > INTERIM_MAX) request.destroy(new Error("There were too many interim answers."));
      };
      request.on("information", countInterim);
      request.on("continue", countInterim);
      request.on("response", resolve);
      request.on("error", reject);
      // Another protocol was not asked for: to node it is no answer, and the connection's end the only sign.
      request.on("upgrade", (response, socket) => {
        socket.destroy();
        resolve(response);
      });
      request.on("close", () => reject(new Error("The connection was closed without an answer.")));
      request.end(body);
    });
  }
}

/** What of an answer has arrived. */
interface Seen {
  statusCode: number | null;
  responseBody: string;
  retryAfter: string | undefined;
}

/** Reads an answer to its end or to the limit, whichever comes first, and gives its beginning as it grows. */
async function* beginning(response: IncomingMessage): AsyncGenerator<string> {
  let kept = Buffer.alloc(0);
  let read = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    if (kept.length < KEPT_BYTES_MAX) {
      kept = Buffer.concat([kept, chunk.subarray(0, KEPT_BYTES_MAX - kept.length)]);
      // PostgreSQL holds no NUL in a text.
      yield kept.toString("utf8").replaceAll("\0", "\u{FFFD}");
    }
    read += chunk.length;
    if (read >= READ_BYTES_MAX) break;
  }
}

function errorOf(error: unknown): AttemptError {
  if (!(error instanceof Error)) return "connection_failed";
  if (isAddressRefused(error)) return "address_refused";
  const code = "code" in error ? String(error.code) : "";
  if (NAME_FAILURE.test(code)) return "name_not_resolved";
  return TLS_FAILURE.test(code) ? "tls_failed" : "connection_failed";
}
