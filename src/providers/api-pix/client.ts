import { randomUUID } from "node:crypto";
import type { Clock } from "../../platform/time/clock.ts";
import { ProviderFault } from "../provider-fault.ts";
import { addressOf, type ApiPixAccount } from "./account.ts";
import { ClientCertificate } from "./client-certificate.ts";
import { errorCodeIn, objectIn, refusalOf, type Fields } from "../answers.ts";
import {
  Connection,
  type AddressGuard,
  type Answer,
  type CallOptions,
  type TimeLimits,
} from "../connection.ts";
import type { ReadWith } from "./messages.ts";
import type { CallField, Resource } from "./profile.ts";
import { TokenSource, type Token } from "./token.ts";

export interface ClientDeps {
  readonly clock: Clock;
  readonly guard: AddressGuard;
  readonly limits: TimeLimits;
}

/** A call of the API Pix. */
export interface ApiCall {
  readonly method: CallOptions["method"];
  readonly resource: Resource;
  /** The path after the resource's address, with its query. */
  readonly path: string;
  readonly body?: object;
  readonly headers?: Readonly<Record<string, string>>;
  /** Ends the call before its time. */
  readonly signal?: AbortSignal | undefined;
}

/** The answer of a call. `fields`: its JSON object, or undefined if it had none. */
export interface Found {
  readonly isFound: boolean;
  /** With a 404: the bank's own code for it; null if it has none, and may be of something in between. */
  readonly code?: string | null;
  readonly fields: Fields | undefined;
  /** When it was answered, by the bank's clock; null if it does not say. */
  readonly answeredAt?: Date | null;
}

/** The API Pix of one account: addresses, token, and the meaning of statuses. */
export class ApiPixClient {
  readonly account: ApiPixAccount;
  readonly #connection: Connection;
  readonly #tokens: TokenSource;
  readonly #clock: Clock;

  constructor(account: ApiPixAccount, { clock, guard, limits }: ClientDeps) {
    this.account = account;
    this.#clock = clock;
    this.#connection = new Connection(guard, limits, new ClientCertificate(account));
    this.#tokens = new TokenSource(account, this.#connection, clock);
  }

  /** Calls the API. A 404 is no failure. Throws ProviderFault on any other refusal, and without an answer. */
  async call(call: ApiCall): Promise<Found> {
    const answer = await this.send(call);
    if (answer.status === 404) {
      return { isFound: false, code: errorCodeIn(answer.text), fields: objectIn(answer.text) };
    }
    if (answer.status < 200 || answer.status > 299) throw refusalOf(answer, nameOf(call), this.#now());
    const fields = objectIn(answer.text);
    if (!fields && answer.text.trim() !== "") {
      throw new ProviderFault("unknown", `${nameOf(call)} was answered with no JSON object`);
    }
    return { isFound: true, fields, answeredAt: dateOf(answer) };
  }

  /** Returns an answer of any status but 401. That one is tried once more with a new token, and then a fault. */
  async send(call: ApiCall): Promise<Answer> {
    const token = await this.#tokens.get();
    const first = await this.#sendWith(token, call);
    if (first.status !== 401) return first;
    this.#tokens.drop(token);
    const newer = await this.#tokens.get();
    const second = await this.#sendWith(newer, call);
    if (second.status !== 401) return second;
    const fault = refusalOf(second, nameOf(call), this.#now());
    this.#tokens.reject(newer, fault);
    throw fault;
  }

  /** Returns the account's token. Throws ProviderFault. */
  async token(): Promise<Token> {
    return await this.#tokens.get();
  }

  /** Returns what the account's answers are read with. */
  get readWith(): ReadWith {
    const { pixKey, clockOffset } = this.account;
    return { pixKey, clockOffset, seenAt: this.#now() };
  }

  async close(): Promise<void> {
    await this.#connection.close();
  }

  async #sendWith(
    { accessToken }: Token,
    { method, resource, path, body, headers, signal }: ApiCall,
  ): Promise<Answer> {
    const { profile } = this.account;
    const base = method === "PATCH" ? profile.changeBase : undefined;
    const address = `${base ?? addressOf(this.account, resource)}${path}`;
    const extra = new URLSearchParams(this.#filled(profile.query)).toString();
    const url = extra === "" ? address : `${address}${address.includes("?") ? "&" : "?"}${extra}`;
    return await this.#connection.call(url, {
      method,
      headers: {
        ...this.#filled(profile.headers),
        ...headers,
        authorization: `Bearer ${accessToken}`,
        accept: "application/json",
        ...(body === undefined ? {} : { "content-type": "application/json" }),
      },
      signal,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  }

  #filled(template: Readonly<Record<string, CallField>> = {}): Record<string, string> {
    const { clientId, appKey, accountNumber = "" } = this.account;
    const values = {
      client_id: clientId,
      app_key: appKey ?? "",
      account_number: accountNumber,
      call_id: randomUUID(),
    };
    const filled = Object.entries(template).map(([name, field]) => [name, values[field].trim()]);
    return Object.fromEntries(filled.filter(([, value]) => value !== ""));
  }

  #now(): Date {
    return new Date(this.#clock.nowMs());
  }
}

/** Returns the time of an answer by the clock of who gave it, or null. */
export function dateOf({ headers: { date } }: Answer): Date | null {
  const time = new Date(typeof date === "string" ? date : Number.NaN);
  return Number.isNaN(time.getTime()) ? null : time;
}

function nameOf({ method, resource }: ApiCall): string {
  return `${method} /${resource}`;
}
