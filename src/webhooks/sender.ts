import http, { type IncomingMessage, type RequestOptions } from "node:http";
import https from "node:https";
import type { LookupFunction } from "node:net";
import type { Duplex } from "node:stream";
import { HEADERS } from "../../contract/headers.ts";
import { connectTls, type OwnedLookupOptions } from "../platform/outgoing-tls.ts";
import { allowedLookup, isAddressRefused, type AddressPolicy } from "../platform/outside-address.ts";
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

const HTTPS_PORT = 443;
// Responses with status 1xx before the final one.
const INTERIM_MAX = 10;
const READ_BYTES_MAX = 64 * 1024;
const KEPT_BYTES_MAX = 4 * 1024;
const NAME_FAILURE =
  /^(ENOTFOUND|ENODATA|ESERVFAIL|EREFUSED|EBADRESP|EBADNAME|ECANCELLED|EFORMERR|EAI_AGAIN|EDNSTIMEOUT)$/;
const TLS_FAILURE =
  /^(ERR_TLS|ERR_SSL|CERT_|EPROTO|UNABLE_TO_|SELF_SIGNED|DEPTH_ZERO|HOSTNAME_MISMATCH|ERR_OSSL)/;

/**
 * Posts to endpoints. The address is checked at each connection by the rules of registration, whatever its name
 * resolved to before. Redirects are not followed, and no proxy is used.
 */
export class Sender {
  readonly #options: SenderOptions;
  readonly #lookup: LookupFunction;
  // Connections are not reused: the next attempt resolves the name again.
  readonly #httpAgent = new http.Agent({ keepAlive: false });

  constructor(options: SenderOptions) {
    this.#options = options;
    this.#lookup = allowedLookup(options.lookup, options.policy);
  }

  /** Deliveries of different tenants do not wait for each other's handshakes. */
  async post(
    tenantId: string,
    address: string,
    headers: Record<string, string>,
    body: Buffer,
  ): Promise<Answer> {
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
      const response = await this.#request(tenantId, url, body, {
        method: "POST",
        headers: { ...headers, "content-length": String(body.length) },
        signal,
      });
      seen.statusCode = response.statusCode ?? null;
      seen.retryAfter = response.headers[HEADERS.retryAfter];
      for await (const text of beginning(response)) seen.responseBody = text;
      const isGood = seen.statusCode !== null && seen.statusCode >= 200 && seen.statusCode < 300;
      return ended({ ...seen, error: isGood ? null : "bad_status" });
    } catch (error) {
      return ended({ ...seen, error: signal.aborted ? "timeout" : errorOf(error) });
    }
  }

  async #request(
    tenantId: string,
    url: URL,
    body: Buffer,
    options: RequestOptions,
  ): Promise<IncomingMessage> {
    return await new Promise((resolve, reject) => {
      const request =
        url.protocol === "https:"
          ? https.request(url, { ...options, createConnection: () => this.#connect(tenantId, url) })
          : http.request(url, { ...options, agent: this.#httpAgent, lookup: this.#lookupOf(tenantId) });
      let interim = 0;
      const countInterim = (): void => {
        if (++interim > INTERIM_MAX) request.destroy(new Error("There were too many interim answers."));
      };
      request.on("information", countInterim);
      request.on("continue", countInterim);
      // Empty lines before the answer are no interim ones.
      request.on("socket", (socket) => {
        const count = (): void => {
          if (socket.bytesRead > READ_BYTES_MAX)
            request.destroy(new Error("There was too much before an answer."));
        };
        socket.on("data", count);
        request.on("response", () => socket.off("data", count));
      });
      request.on("response", resolve);
      request.on("error", reject);
      // No upgrade was requested. Without a listener, Node would only close the connection, without a response.
      request.on("upgrade", (response, socket) => {
        socket.destroy();
        resolve(response);
      });
      request.on("close", () => reject(new Error("The connection was closed without an answer.")));
      request.end(body);
    });
  }

  #lookupOf(owner: string): LookupFunction {
    return (hostname, options: OwnedLookupOptions, callback) => {
      this.#lookup(hostname, { ...options, owner } as OwnedLookupOptions, callback);
    };
  }

  #connect(owner: string, { hostname, port }: URL): Duplex {
    const host = hostname.replace(/^\[(.*)\]$/, "$1");
    return connectTls({ host, port: Number(port) || HTTPS_PORT, lookup: this.#lookup, owner });
  }
}

/** The parts of a response that have arrived. */
interface Seen {
  statusCode: number | null;
  responseBody: string;
  retryAfter: string | undefined;
}

/** Reads a response to its end or to the limit, and yields its beginning as it grows. */
async function* beginning(response: IncomingMessage): AsyncGenerator<string> {
  let kept = Buffer.alloc(0);
  const { socket } = response;
  // Sizes and extensions of chunks count too.
  const readMax = socket.bytesRead + READ_BYTES_MAX;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    if (kept.length < KEPT_BYTES_MAX) {
      kept = Buffer.concat([kept, chunk.subarray(0, KEPT_BYTES_MAX - kept.length)]);
      // PostgreSQL cannot store NUL in a text.
      yield kept.toString("utf8").replaceAll("\0", "\u{FFFD}");
    }
    if (socket.bytesRead >= readMax) break;
  }
}

function errorOf(error: unknown): AttemptError {
  if (!(error instanceof Error)) return "connection_failed";
  if (isAddressRefused(error)) return "address_refused";
  const code = "code" in error ? String(error.code) : "";
  if (NAME_FAILURE.test(code)) return "name_not_resolved";
  return TLS_FAILURE.test(code) ? "tls_failed" : "connection_failed";
}
