import { X509Certificate } from "node:crypto";
import type { LookupFunction } from "node:net";
import { createSecureContext, getCACertificates, type SecureContextOptions } from "node:tls";
import { Agent, request } from "undici";
import { ProviderFault } from "../providers/provider-fault.ts";
import type { ClientIdentity } from "./account.ts";

/** The guard of addresses: providers are reached at public addresses alone. */
export interface AddressGuard {
  /** Throws if the address is not allowed. */
  check(address: string): URL;
  /** Resolves names, and refuses those that lead to refused addresses. */
  readonly lookup: LookupFunction;
}

export interface CallOptions {
  readonly method: "GET" | "PUT" | "PATCH" | "POST";
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Ends the call before its time. */
  readonly signal?: AbortSignal | undefined;
}

/** An answer of any status. */
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
const ANSWER_BYTES_MAX = 4 * 1024 * 1024;
// What the other side, or our own TLS, says of certificates and keys.
const TLS_FAILURE =
  /^(ERR_TLS_CERT|ERR_SSL|ERR_OSSL|ERR_CRYPTO|CERT_|EPROTO|UNABLE_TO_|SELF_SIGNED|DEPTH_ZERO|HOSTNAME_MISMATCH)/;
const REFUSED_ADDRESS = "ADDRESS_REFUSED";
const EXPIRED = "certificate_expired";
const UNREADABLE = "certificate_unreadable";
const TOO_LARGE = "UND_ERR_RES_EXCEEDED_MAX_SIZE";
const OWN_CODES: ReadonlySet<string> = new Set([REFUSED_ADDRESS, EXPIRED, UNREADABLE]);

/** The HTTPS connections of one account, with its client certificate. */
export class Connection {
  readonly #agent: Agent;
  readonly #guard: AddressGuard;
  readonly #limits: TimeLimits;
  readonly #identity: ClientIdentity;

  constructor(identity: ClientIdentity, ca: string | null, guard: AddressGuard, limits: TimeLimits) {
    this.#guard = guard;
    this.#limits = limits;
    this.#identity = identity;
    this.#agent = new Agent({
      connect: {
        ...shown(identity),
        ...(ca === null ? {} : { ca: [...getCACertificates("default"), ca] }),
        lookup: guard.lookup,
        timeout: limits.connectMs,
      },
      connections: CONNECTIONS,
      headersTimeout: limits.answerMs,
      bodyTimeout: limits.answerMs,
      maxResponseSize: ANSWER_BYTES_MAX,
      allowH2: false,
    });
  }

  /** Returns the answer of any status. Throws ProviderFault if there is none. */
  async call(address: string, { method, headers, body, signal }: CallOptions): Promise<Answer> {
    // A host that is an IP address is never looked up, so it is checked here.
    const url = this.#checked(address);
    const limit = AbortSignal.timeout(this.#limits.connectMs + this.#limits.answerMs);
    try {
      const answer = await request(url, {
        method,
        headers,
        dispatcher: this.#agent,
        signal: signal ? AbortSignal.any([signal, limit]) : limit,
        ...(body === undefined ? {} : { body }),
      });
      return { status: answer.statusCode, headers: answer.headers, text: await answer.body.text() };
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
    const code = ownFailure(this.#identity) ?? codeOf(error);
    const isOurs = OWN_CODES.has(code) || TLS_FAILURE.test(code);
    return new ProviderFault(isOurs ? "misconfigured" : "unknown", `${host} gave no answer (${code})`, {
      code,
      isOutage: !isOurs && code !== TOO_LARGE,
      cause: error,
    });
  }
}

/** Returns an identity as TLS takes it. */
function shown(identity: ClientIdentity): SecureContextOptions {
  if ("pfx" in identity) return { pfx: identity.pfx, passphrase: identity.passphrase };
  return { cert: identity.certificate, key: identity.privateKey };
}

/** Returns what is wrong with our certificate. A server that refuses it often only closes the connection. */
function ownFailure(identity: ClientIdentity): string | undefined {
  try {
    const context = createSecureContext(shown(identity)).context as { getCertificate(): Buffer | null };
    const own = context.getCertificate();
    return own && new X509Certificate(own).validToDate.getTime() < Date.now() ? EXPIRED : undefined;
  } catch {
    return UNREADABLE;
  }
}

function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return "error";
  if ("code" in error && typeof error.code === "string") return error.code;
  return error.cause instanceof Error ? codeOf(error.cause) : error.name;
}
