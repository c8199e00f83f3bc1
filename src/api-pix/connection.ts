import type { LookupFunction } from "node:net";
import type { Agent } from "undici";
import { ANSWER_TOO_LARGE, boundedAgent, boundedRequest } from "../platform/bounded-request.ts";
import type { AnswerBounds } from "../platform/bounded-text.ts";
import type { ClientCertificate } from "../platform/outgoing-tls.ts";
import { outsideConnector } from "../platform/outside-connector.ts";
import { ProviderFault } from "../providers/provider-fault.ts";
import { ONE_RESOURCE } from "./answer-bounds.ts";

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
  /** What a success may hold at most; one resource unless given. */
  readonly bounds?: AnswerBounds | undefined;
}

/** An answer of any status. The text of a refusal beyond its bounds is empty: its status says enough. */
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

const CONNECTIONS = 8;
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

  constructor(accountId: string, guard: AddressGuard, limits: TimeLimits, certificate?: ClientCertificate) {
    this.#guard = guard;
    this.#limits = limits;
    this.#own = certificate;
    const { lookup } = guard;
    this.#agent = boundedAgent({
      connect: outsideConnector({ owner: accountId, lookup, connectMs: limits.connectMs, certificate }),
      connections: CONNECTIONS,
      pipelining: 1,
      answerMs: limits.answerMs,
    });
  }

  /** Returns the answer of any status. Throws ProviderFault without an answer, or for one that is endless or too large. */
  async call(
    address: string,
    { method, headers, body, signal, bounds = ONE_RESOURCE }: CallOptions,
  ): Promise<Answer> {
    // A host that is an IP address is never looked up, so it is checked here.
    const url = this.#checked(address);
    const limit = AbortSignal.timeout(this.#limits.connectMs + this.#limits.answerMs);
    try {
      const { status, text, ...answer } = await boundedRequest(url, {
        dispatcher: this.#agent,
        method,
        headers,
        body,
        signal: signal ? AbortSignal.any([signal, limit]) : limit,
        bounds,
        refusalBounds: ONE_RESOURCE,
      });
      const isSuccess = status >= 200 && status <= 299;
      if (text === undefined && isSuccess) throw tooLarge(url.host);
      return { ...answer, status, text: text ?? "" };
    } catch (error) {
      if (error instanceof ProviderFault) throw error;
      throw this.#faultOf(error, url.host);
    }
  }

  async close(): Promise<void> {
    await this.#agent.close();
    this.#own?.close();
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
    if (code === ANSWER_TOO_LARGE) return tooLarge(host);
    const isOurs = OWN_CODES.has(code) || TLS_FAILURE.test(code);
    return new ProviderFault(isOurs ? "misconfigured" : "unknown", `${host} gave no answer (${code})`, {
      code,
      isOutage: !isOurs,
      cause: error,
    });
  }
}

function tooLarge(host: string): ProviderFault {
  return new ProviderFault("unknown", `${host} gave too large an answer`, { code: ANSWER_TOO_LARGE });
}

function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return "error";
  if ("code" in error && typeof error.code === "string") return error.code;
  return error.cause instanceof Error ? codeOf(error.cause) : error.name;
}
