import { refusalOf } from "../answers.ts";
import { Connection, type AddressGuard, type CallLimits } from "../connection.ts";
import type { Clock } from "../../platform/time/clock.ts";
import type { Asking } from "../ports.ts";
import { ProviderFault } from "../provider-fault.ts";
import { LIVE_KEY_PREFIX, type AsaasAccount } from "./account.ts";
import { fieldsIn, rowsOf, type Fields } from "./json.ts";
import { CallQuota, type CallPurpose } from "./quota.ts";

export interface ClientDeps {
  readonly clock: Clock;
  readonly guard: AddressGuard;
  readonly limits: CallLimits;
}

type Method = "GET" | "POST" | "PUT" | "DELETE";

interface CallOptions {
  readonly body?: object;
  readonly signal?: AbortSignal | undefined;
  /** "payer" unless given. */
  readonly purpose?: CallPurpose;
  /** Returns the code of a refusal by its text, or null: it is the answer's own. */
  readonly codeOf?: (text: string) => string | null;
}

const USER_AGENT = "paylink";
const PAGE_ROWS = 100;
// A charge has 21 payments, and as many again for each charge that a lost answer made.
const PAGES_MAX = 5;

/** The API of Asaas for one account: its key, and the meaning of statuses. */
export class AsaasClient {
  readonly account: AsaasAccount;
  readonly #connection: Connection;
  readonly #clock: Clock;
  readonly #quota = new CallQuota();

  constructor(account: AsaasAccount, { clock, guard, limits }: ClientDeps) {
    this.account = account;
    this.#clock = clock;
    this.#connection = new Connection(guard, limits);
  }

  now(): Date {
    return new Date(this.#clock.nowMs());
  }

  /**
   * Returns an answer's object, or undefined for a 404. Throws ProviderFault on any other refusal, without an answer, and
   * without a call if the few that are left are kept for other purposes.
   */
  async call(
    method: Method,
    path: string,
    { body, signal, purpose = "payer", codeOf }: CallOptions = {},
  ): Promise<Fields | undefined> {
    const { apiKey, baseUrl } = this.account;
    if (!apiKey.startsWith(LIVE_KEY_PREFIX)) {
      throw new ProviderFault("misconfigured", "the key is not of live mode", { code: "wrong_mode" });
    }
    this.#quota.require(purpose, this.#clock.nowMs());
    const answer = await this.#connection.call(`${baseUrl}${path}`, {
      method,
      headers: {
        access_token: apiKey,
        accept: "application/json",
        "user-agent": USER_AGENT,
        ...(body === undefined ? {} : { "content-type": "application/json" }),
      },
      signal,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    this.#quota.note(answer.headers, this.#clock.nowMs());
    if (answer.status === 404) return undefined;
    const name = `${method} /${path.split(/[/?]/)[1] ?? ""}`;
    if (answer.status < 200 || answer.status > 299) {
      throw this.#refusal(refusalOf(answer, name, this.now(), codeOf?.(answer.text)));
    }
    const fields = fieldsIn(answer.text);
    if (!fields) throw new ProviderFault("unknown", `${name} was answered with no JSON object`);
    return fields;
  }

  /** Returns all rows of a list, the last one first. Throws ProviderFault if they are too many, or the answer is no list. */
  async list(...asked: Parameters<AsaasClient["listIfThere"]>): Promise<Fields[]> {
    const rows = await this.listIfThere(...asked);
    if (!rows) throw new ProviderFault("unknown", "a list was answered with 404");
    return rows;
  }

  /** Like `list`, for a list of something that may not be there: returns undefined then. */
  async listIfThere(
    path: string,
    query: Readonly<Record<string, string>>,
    options: Pick<CallOptions, "signal" | "purpose"> = {},
  ): Promise<Fields[] | undefined> {
    const all: Fields[] = [];
    for (let page = 0; page < PAGES_MAX; page++) {
      const paging = { limit: String(PAGE_ROWS), offset: String(page * PAGE_ROWS) };
      const search = new URLSearchParams({ ...query, ...paging }).toString();
      const found = await this.call("GET", `${path}?${search}`, options);
      if (!found) return undefined;
      const rows = rowsOf(found, "data");
      all.push(...rows);
      if (found["hasMore"] !== true || rows.length === 0) return all;
    }
    throw new ProviderFault("unknown", "a list is too large", { code: "statement_too_large" });
  }

  #refusal(fault: ProviderFault): ProviderFault {
    if (fault.retryAfterSeconds !== null) this.#quota.pause(fault.retryAfterSeconds, this.#clock.nowMs());
    return fault;
  }

  async close(): Promise<void> {
    await this.#connection.close();
  }
}

/** Returns how a call is made for what is asked. */
export function optionsOf({ signal, isPeriodic, isRepeated }: Asking): {
  signal: AbortSignal | undefined;
  purpose: CallPurpose;
} {
  if (isPeriodic === true) return { signal, purpose: "check" };
  return { signal, purpose: isRepeated === true ? "again" : "payer" };
}
