import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import type { BankClock } from "./clock.ts";
import { isFields } from "./checks.ts";
import { Problem } from "./problem.ts";
import type { Account, Scope } from "./state.ts";

interface Issued {
  readonly account: Account;
  readonly scopes: readonly string[];
  readonly endsAtMs: number;
}

/** A request for a token: by Basic and a form, as the standard has it, or as single banks have it. */
export interface TokenRequest {
  readonly authorization: string;
  readonly text: string;
  readonly contentType: string;
  readonly query: URLSearchParams;
}

/** A refusal of a token, as OAuth 2.0 says it. */
export class TokenRefusal extends Error {
  readonly status: number;

  constructor(status: number, error: string) {
    super(error);
    this.name = "TokenRefusal";
    this.status = status;
  }
}

/** The access tokens of the bank. */
export class Tokens {
  readonly #clock: BankClock;
  readonly #issued = new Map<string, Issued>();
  lifeSeconds = 3600;

  constructor(clock: BankClock) {
    this.#clock = clock;
  }

  /** Issues a token for a client's id and secret, with the asked scopes that are granted. Throws TokenRefusal. */
  issue(accounts: readonly Account[], { authorization, text, contentType, query }: TokenRequest): object {
    const grant = { ...grantOf(text, contentType), ...Object.fromEntries(query) };
    const { client_id: formId = "", client_secret: formSecret = "" } = grant;
    const [id = "", secret = ""] =
      authorization === "" ? [String(formId), String(formSecret)] : basicOf(authorization);
    const account = accounts.find(({ client }) => isSame(client.id, id) && isSame(client.secret, secret));
    if (!account) throw new TokenRefusal(401, "invalid_client");
    if (grant["grant_type"] !== "client_credentials") throw new TokenRefusal(400, "unsupported_grant_type");
    const asked = typeof grant["scope"] === "string" ? grant["scope"].split(" ") : account.scopes;
    const granted = asked.filter((scope) => account.scopes.includes(scope));
    // Who asks in JSON has what its application has beside the standard.
    const scopes = isJson(contentType) ? [...granted, ...account.reportScopes] : granted;
    const token = randomBytes(24).toString("base64url");
    this.#issued.set(token, { account, scopes, endsAtMs: this.#clock.nowMs() + this.lifeSeconds * 1000 });
    return {
      access_token: token,
      token_type: "Bearer",
      expires_in: this.lifeSeconds,
      scope: scopes.join(" "),
    };
  }

  /** Returns the account of a token with a scope. Throws Problem. */
  accountOf(authorization: string, scope: Scope): Account {
    const issued = this.#issued.get(authorization.replace(/^Bearer /, ""));
    if (!issued || this.#clock.nowMs() >= issued.endsAtMs) {
      throw new Problem("NaoAutorizado", "token ausente, inválido ou expirado");
    }
    if (!issued.scopes.includes(scope)) throw new Problem("AcessoNegado", `falta o escopo ${scope}`);
    return issued.account;
  }

  /** Ends all tokens. */
  revoke(): void {
    this.#issued.clear();
  }
}

function basicOf(authorization: string): string[] {
  const encoded = /^Basic ([A-Za-z0-9+/=]+)$/.exec(authorization)?.[1] ?? "";
  return Buffer.from(encoded, "base64").toString().split(/:(.*)/s);
}

function grantOf(text: string, contentType: string): Record<string, unknown> {
  if (!isJson(contentType)) return Object.fromEntries(new URLSearchParams(text));
  try {
    const value: unknown = JSON.parse(text);
    return isFields(value) ? value : {};
  } catch {
    return {};
  }
}

function isJson(contentType: string): boolean {
  return contentType.startsWith("application/json");
}

function isSame(one: string, other: string): boolean {
  return timingSafeEqual(digest(one), digest(other));
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
