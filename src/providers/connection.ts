import type { LookupFunction } from "node:net";
import type { SecureContext } from "node:tls";
import { text } from "node:stream/consumers";
import { setTimeout as passes } from "node:timers/promises";
import type { Agent } from "undici";
import { FairSemaphore } from "../../contract/fair-semaphore.ts";
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

/** How many calls of one account its provider takes in a minute, as it documents. */
export interface DocumentedQuota {
  readonly callsPerMinute: number;
  /** The paths that count. */
  readonly of: RegExp;
}

/** The limits of one account's calls. */
export interface CallLimits extends TimeLimits {
  readonly quota?: DocumentedQuota | undefined;
  /** Is called with each call that leaves few for a while, or that was one too many. */
  readonly onFewLeft?: () => void;
}

export const TIME_LIMITS: TimeLimits = { connectMs: 5000, answerMs: 30_000 };

/** The code of a fault for a success that is too large. */
export const ANSWER_TOO_LARGE = "answer_too_large";

// An account's calls at a time. One that is not answered soon does not count, as a bank may be silent to some payers alone.
const CALLS = 8;
const SLOW_MS = 500;
const CONNECTIONS_MAX = 64;
// Of all calls, the part that is few.
const FEW = 0.2;
const TOO_MANY = 429;
const MINUTE_MS = 60_000;
// A page of a statement has 1000 rows at most, each of some KiB with its returns.
const ANSWER_BYTES_MAX = 2 * 1024 * 1024;
// What the other side, or our own TLS, says of certificates and keys.
const TLS_FAILURE =
  /^(ERR_TLS_CERT|ERR_SSL|ERR_OSSL|ERR_CRYPTO|CERT_|EPROTO|UNABLE_TO_|SELF_SIGNED|DEPTH_ZERO|HOSTNAME_MISMATCH)/;
const REFUSED_ADDRESS = "ADDRESS_REFUSED";
const OWN_CODES: ReadonlySet<string> = new Set(["certificate_expired", "certificate_unreadable"]);

/** The HTTPS connections of one account, with its client certificate if it has one. */
export class Connection {
  readonly #agent: Agent;
  readonly #guard: AddressGuard;
  readonly #limits: CallLimits;
  readonly #own: ClientCertificate | undefined;
  readonly #calls = new FairSemaphore({
    total: CALLS,
    perKey: CALLS,
    waitingPerKey: Infinity,
    waitingTotal: Infinity,
    refusal: () => new Error("too many calls"),
  });

  #minute = { number: 0, count: 0 };

  constructor(guard: AddressGuard, limits: CallLimits, certificate?: ClientCertificate) {
    this.#guard = guard;
    this.#limits = limits;
    this.#own = certificate;
    this.#agent = outsideAgent({
      lookup: guard.lookup,
      ...limits,
      bodyBytesMax: ANSWER_BYTES_MAX,
      connections: CONNECTIONS_MAX,
      isKept: true,
      secureContext: certificate?.secureContext,
    });
  }

  /** Returns the answer of any status. Throws ProviderFault without an answer in time, and for a success that is too large. */
  async call(address: string, options: CallOptions): Promise<Answer> {
    // A host that is an IP address is never looked up, so it is checked here.
    const url = this.#checked(address);
    if (this.#own && !this.#own.secureContext) throw this.#faultOf(undefined, url.host);
    const limit = AbortSignal.timeout(this.#limits.connectMs + this.#limits.answerMs);
    const ends = options.signal ? AbortSignal.any([options.signal, limit]) : limit;
    try {
      const { asked } = await this.#calls.run(
        "account",
        async () => await this.#begun(url, options, ends),
        ends,
      );
      return await asked;
    } catch (error) {
      throw this.#faultOf(error, url.host);
    }
  }

  /** Returns a call that is over, or slow. */
  async #begun(url: URL, options: CallOptions, signal: AbortSignal): Promise<{ asked: Promise<Answer> }> {
    const asked = this.#answer(url, options, signal);
    await Promise.race([asked.catch(() => undefined), passes(SLOW_MS, undefined, { ref: false })]);
    return { asked };
  }

  async #answer(url: URL, { method, headers, body }: CallOptions, signal: AbortSignal): Promise<Answer> {
    const sent = { dispatcher: this.#agent, method, headers, body: body ?? null, signal };
    const answer = await undici().request(url, sent);
    const { statusCode: status } = answer;
    if (status === TOO_MANY || saysFew(answer.headers) || this.#isOneOfFew(url)) this.#limits.onFewLeft?.();
    const isSuccess = status >= 200 && status <= 299;
    const read = await text(answer.body).catch((error: unknown) => {
      if (isSuccess || codeOf(error) !== BODY_TOO_LARGE) throw error;
      return "";
    });
    return { status, headers: answer.headers, text: read };
  }

  async close(): Promise<void> {
    await this.#agent.close();
  }

  /** Counts a call of this process. */
  #isOneOfFew({ pathname }: URL): boolean {
    const { quota } = this.#limits;
    if (!quota?.of.test(pathname)) return false;
    const number = Math.floor(performance.now() / MINUTE_MS);
    const count = number === this.#minute.number ? this.#minute.count + 1 : 1;
    this.#minute = { number, count };
    return count > quota.callsPerMinute * (1 - FEW);
  }

  #checked(address: string): URL {
    try {
      return this.#guard.check(address);
    } catch (error) {
      throw refusedAddress(error);
    }
  }

  #faultOf(error: unknown, host: string): ProviderFault {
    const code = this.#own?.failure ?? codeOf(error);
    if (code === BODY_TOO_LARGE) {
      return new ProviderFault("unknown", `${host} gave too large an answer`, { code: ANSWER_TOO_LARGE });
    }
    if (code === REFUSED_ADDRESS) return refusedAddress(error);
    const isOurs = OWN_CODES.has(code) || TLS_FAILURE.test(code);
    return new ProviderFault(isOurs ? "misconfigured" : "unknown", `${host} gave no answer (${code})`, {
      code,
      isOutage: !isOurs,
      cause: error,
    });
  }
}

/** Returns true if an answer's headers say that few calls are left. */
function saysFew(headers: Answer["headers"]): boolean {
  const [limit, left] = ["limit", "remaining"].map((name) =>
    Number(headers[`ratelimit-${name}`] ?? Number.NaN),
  );
  return limit !== undefined && left !== undefined && limit > 0 && left <= limit * FEW;
}

/** The addresses of a profile are public: one that is refused is the account's own. */
function refusedAddress(cause: unknown): ProviderFault {
  const why = cause instanceof Error ? `: ${cause.message}` : "";
  const message = `the account's own address (base_url or token_url) is refused${why}`;
  return new ProviderFault("misconfigured", message, { code: REFUSED_ADDRESS, cause });
}

function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return "error";
  if ("code" in error && typeof error.code === "string") return error.code;
  return error.cause instanceof Error ? codeOf(error.cause) : error.name;
}
