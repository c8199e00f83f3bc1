import type { Clock } from "../../platform/time/clock.ts";
import { ProviderFault } from "../provider-fault.ts";
import { tokenAddressOf, type ApiPixAccount } from "./account.ts";
import { objectIn, refusalOf } from "../answers.ts";
import type { CallOptions, Connection } from "../connection.ts";

/** What an account is asked for. */
export const SCOPES = [
  "cob.write",
  "cob.read",
  "pix.write",
  "pix.read",
  "webhook.write",
  "webhook.read",
] as const;

/** What a bank with reports grants for them, by what its application has: it is not asked for. */
export const REPORT_SCOPES = ["gn.reports.write", "gn.reports.read"] as const;

/** Without these there are no charges. */
export const NEEDED_SCOPES: readonly string[] = ["cob.write", "cob.read"];

export interface Token {
  readonly accessToken: string;
  /** The granted scopes; null if the bank does not say. */
  readonly scopes: readonly string[] | null;
  readonly renewedAtMs: number;
}

const RENEWED_EARLY_MS = 30_000;
const LIFE_DEFAULT_SECONDS = 300;
// All calls of the account wait for it.
const ANSWER_MS = 10_000;
// A bank blocks addresses that ask too often for tokens.
const HELD_BACK_MS = 5000;

/** The access token of one account. One request for it is in flight at a time, and all callers share it. */
export class TokenSource {
  readonly #account: ApiPixAccount;
  readonly #connection: Connection;
  readonly #clock: Clock;
  #token: Token | undefined;
  #asked: Promise<Token> | undefined;
  #refused: { readonly fault: unknown; readonly untilMs: number } | undefined;

  constructor(account: ApiPixAccount, connection: Connection, clock: Clock) {
    this.#account = account;
    this.#connection = connection;
    this.#clock = clock;
  }

  /** Returns a token that is good for some time. Throws ProviderFault. */
  async get(): Promise<Token> {
    const nowMs = this.#clock.nowMs();
    if (this.#token && nowMs < this.#token.renewedAtMs) return this.#token;
    if (this.#refused && nowMs < this.#refused.untilMs) throw this.#refused.fault;
    this.#asked ??= this.#ask().finally(() => {
      this.#asked = undefined;
    });
    return await this.#asked;
  }

  /** Drops a token that the bank did not accept, unless there is a newer one already. */
  drop(token: Token): void {
    if (this.#token === token) this.#token = undefined;
  }

  /** Drops a new token that the bank did not accept either. For a while no other one is asked for. */
  reject(token: Token, fault: ProviderFault): void {
    this.drop(token);
    this.#holdBack(fault);
  }

  async #ask(): Promise<Token> {
    try {
      this.#token = await this.#request();
      this.#refused = undefined;
      return this.#token;
    } catch (fault) {
      this.#holdBack(fault);
      throw fault;
    }
  }

  #holdBack(fault: unknown): void {
    const askedMs = fault instanceof ProviderFault ? (fault.retryAfterSeconds ?? 0) * 1000 : 0;
    this.#refused = { fault, untilMs: this.#clock.nowMs() + Math.max(HELD_BACK_MS, askedMs) };
  }

  async #request(): Promise<Token> {
    const nowMs = this.#clock.nowMs();
    const { address, options } = tokenRequest(this.#account);
    const answer = await this.#connection.call(address, {
      ...options,
      signal: AbortSignal.timeout(ANSWER_MS),
    });
    const fields = objectIn(answer.text);
    const { access_token: accessToken, expires_in: life, scope } = fields ?? {};
    if (answer.status < 200 || answer.status > 299) {
      const fault = refusalOf(answer, "a token request", new Date(nowMs));
      // Some banks answer 400 to a wrong secret, as OAuth 2.0 says.
      throw fault.kind === "refused"
        ? new ProviderFault("misconfigured", fault.message, { code: fault.code })
        : fault;
    }
    if (typeof accessToken !== "string" || accessToken === "") {
      throw new ProviderFault("unknown", "a token request was answered without a token");
    }
    const seconds = typeof life === "string" || typeof life === "number" ? Number(life) : 0;
    const lifeSeconds = Number.isFinite(seconds) && seconds > 0 ? seconds : LIFE_DEFAULT_SECONDS;
    return {
      accessToken,
      scopes: typeof scope === "string" && scope.trim() !== "" ? scope.trim().split(/\s+/) : null,
      renewedAtMs: nowMs + Math.max(lifeSeconds * 1000 - RENEWED_EARLY_MS, lifeSeconds * 500),
    };
  }
}

function tokenRequest(account: ApiPixAccount): { address: string; options: CallOptions } {
  const { clientId, clientSecret, profile } = account;
  const address = tokenAddressOf(account);
  const scope = profile.hasNoScopes ? {} : { scope: SCOPES.join(" ") };
  const grant = { grant_type: "client_credentials", ...scope };
  const basic = {
    authorization: `Basic ${Buffer.from(`${clientId}:${clientSecret ?? ""}`).toString("base64")}`,
  };
  const form = { "content-type": "application/x-www-form-urlencoded", accept: "application/json" };
  const json = { "content-type": "application/json", accept: "application/json" };
  switch (profile.tokenStyle) {
    case "basic_form":
      return { address, options: post({ ...form, ...basic }, written(grant)) };
    case "basic_json":
      return { address, options: post({ ...json, ...basic }, JSON.stringify(grant)) };
    case "secret_form_query":
      return {
        address: `${address}?${written({ grant_type: grant.grant_type })}`,
        options: post(form, written({ client_id: clientId, client_secret: clientSecret ?? "" })),
      };
    case "secret_form":
      return {
        address,
        options: post(form, written({ ...grant, client_id: clientId, client_secret: clientSecret ?? "" })),
      };
    case "id_form":
      return { address, options: post(form, written({ ...grant, client_id: clientId })) };
  }
}

function written(fields: Record<string, string>): string {
  return new URLSearchParams(fields).toString();
}

function post(headers: Record<string, string>, body: string): CallOptions {
  return { method: "POST", headers, body };
}
