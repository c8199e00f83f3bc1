import type { LookupFunction } from "node:net";
import type { SecureContext } from "node:tls";
import { text } from "node:stream/consumers";
import type { Agent } from "undici";
import { undici } from "../platform/outside/lazy-undici.ts";
import { BODY_TOO_LARGE, outsideAgent } from "../platform/outside/outside-agent.ts";
import { ProviderFault } from "./provider-fault.ts";

/** The certificate by which a client proves itself. */
interface ClientCertificate {
  /** Undefined: it cannot be read. */
  readonly secureContext: SecureContext | undefined;
  /** What is wrong with it, or undefined. */
  readonly failure: "certificate_expired" | "certificate_unreadable" | undefined;
}

/** The guard of addresses: providers are reached at public addresses alone. */
export interface AddressGuard {
  /** Throws if the address is not allowed. */
  check(address: string): URL;
  /** Resolves names, and refuses those that lead to refused addresses. */
  readonly lookup: LookupFunction;
}

export interface CallOptions {
  readonly method: "GET" | "PUT" | "PATCH" | "POST" | "DELETE";
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Ends the call before its time. */
  readonly signal?: AbortSignal | undefined;
}

/** An answer of any status. The text of a refusal that is too large is empty: its status says enough. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

/** The time limits of a call, in milliseconds. */
export interface TimeLimits {
  readonly connectMs: number;
  readonly answerMs: number;
}

export const TIME_LIMITS: TimeLimits = { connectMs: 5000, answerMs: 30_000 };

/** The code of a fault for a success that is too large. */
export const ANSWER_TOO_LARGE = "answer_too_large";

const CONNECTIONS = 8;
// A page of a statement has 1000 rows at most, each of some KiB with its returns.
const ANSWER_BYTES_MAX = 2 * 1024 * 1024;
// What the other side, or our own TLS, says of certificates and keys.
const TLS_FAILURE =
  /^(ERR_TLS_CERT|ERR_SSL|ERR_OSSL|ERR_CRYPTO|CERT_|EPROTO|UNABLE_TO_|SELF_SIGNED|DEPTH_ZERO|HOSTNAME_MISMATCH)/;
const REFUSED_ADDRESS = "ADDRESS_REFUSED";
const OWN_CODES: ReadonlySet<string> = new Set([
  REFUSED_ADDRESS,
  "certificate_expired",
  "certificate_unreadable",
]);

/** The HTTPS connections of one account, with its client certificate if it has one. */
export class Connection {
  readonly #agent: Agent;
  readonly #guard: AddressGuard;
  readonly #limits: TimeLimits;
  readonly #own: ClientCertificate | undefined;

  constructor(guard: AddressGuard, limits: TimeLimits, certificate?: ClientCertificate) {
    this.#guard = guard;
    this.#limits = limits;
    this.#own = certificate;
    this.#agent = outsideAgent({
      lookup: guard.lookup,
      ...limits,
      bodyBytesMax: ANSWER_BYTES_MAX,
      connections: CONNECTIONS,
      isKept: true,
      secureContext: certificate?.secureContext,
    });
  }

  /** Returns the answer of any status. Throws ProviderFault without an answer in time, and for a success that is too large. */
  async call(address: string, { method, headers, body, signal }: CallOptions): Promise<Answer> {
    // A host that is an IP address is never looked up, so it is checked here.
    const url = this.#checked(address);
    if (this.#own && !this.#own.secureContext) throw this.#faultOf(undefined, url.host);
    const limit = AbortSignal.timeout(this.#limits.connectMs + this.#limits.answerMs);
    try {
      const answer = await undici().request(url, {
        dispatcher: this.#agent,
        method,
        headers,
        body: body ?? null,
        signal: signal ? AbortSignal.any([signal, limit]) : limit,
      });
      const { statusCode: status } = answer;
      const isSuccess = status >= 200 && status <= 299;
      const read = await text(answer.body).catch((error: unknown) => {
        if (isSuccess || codeOf(error) !== BODY_TOO_LARGE) throw error;
        return "";
      });
      return { status, headers: answer.headers, text: read };
    } catch (error) {
      throw this.#faultOf(error, url.host);
    }
  }

  async close(): Promise<void> {
    await this.#agent.close();
  }

  #checked(address: string): URL {
    try {
      return this.#guard.check(address);
    } catch (error) {
      throw new ProviderFault("misconfigured", "the address of a provider is not allowed", {
        code: REFUSED_ADDRESS,
        cause: error,
      });
    }
  }

  #faultOf(error: unknown, host: string): ProviderFault {
    const code = this.#own?.failure ?? codeOf(error);
    if (code === BODY_TOO_LARGE) {
      return new ProviderFault("unknown", `${host} gave too large an answer`, { code: ANSWER_TOO_LARGE });
    }
    const isOurs = OWN_CODES.has(code) || TLS_FAILURE.test(code);
    return new ProviderFault(isOurs ? "misconfigured" : "unknown", `${host} gave no answer (${code})`, {
      code,
      isOutage: !isOurs,
      cause: error,
    });
  }
}

function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return "error";
  if ("code" in error && typeof error.code === "string") return error.code;
  return error.cause instanceof Error ? codeOf(error.cause) : error.name;
}
