import { objectIn, refusalOf } from "../answers.ts";
import { Connection, type AddressGuard, type Answer, type CallLimits } from "../connection.ts";
import type { Clock } from "../../platform/time/clock.ts";
import { rowsOf, type Fields } from "../answer-fields.ts";
import { ProviderFault } from "../provider-fault.ts";
import { isLiveKey, type PagarmeAccount } from "./account.ts";
import { CallbackKeys } from "./callback-keys.ts";
import { objectOf } from "./fields.ts";

interface ClientDeps {
  readonly clock: Clock;
  readonly guard: AddressGuard;
  readonly limits: CallLimits;
}

interface CallOptions {
  readonly body?: object;
  /** Of a new order alone: two with one key are made once, within 24 hours. While the first one runs, the second gets a 409. */
  readonly key?: string;
  readonly signal?: AbortSignal | undefined;
}

interface ListOptions {
  /** Rows of a page. */
  readonly size: number;
  readonly pagesMax?: number;
  /** True: each answer says where the next page begins. Pages have numbers otherwise. */
  readonly hasCursors?: boolean;
  readonly signal?: AbortSignal | undefined;
}

/** A page of a list. */
interface ListPage {
  readonly rows: readonly Fields[];
  /** Where the next page begins: null at the list's end, undefined if the answer does not say that. */
  readonly cursor: string | null | undefined;
}

const USER_AGENT = "paylink";
const CONFLICT = 409;
const DISPUTE_ROWS = 100;
const DISPUTE_PAGES_MAX = 10;

/** The API of Pagar.me for one account: its key, and the meaning of statuses. */
export class PagarmeClient {
  readonly account: PagarmeAccount;
  readonly callbackKeys: CallbackKeys;
  readonly #connection: Connection;
  readonly #clock: Clock;

  constructor(account: PagarmeAccount, { clock, guard, limits }: ClientDeps) {
    this.account = account;
    this.#clock = clock;
    this.#connection = new Connection(guard, limits);
    this.callbackKeys = new CallbackKeys(account.callbackKey, clock, async () => await this.#publishedKeys());
  }

  now(): Date {
    return new Date(this.#clock.nowMs());
  }

  /** Returns an answer's object, or undefined for a 404. Throws ProviderFault on any other refusal, and without an answer. */
  async call(
    method: "GET" | "POST" | "DELETE",
    path: string,
    options: CallOptions = {},
  ): Promise<Fields | undefined> {
    const answer = await this.#answer(method, path, options);
    const name = nameOf(method, path);
    if (options.key !== undefined && answer.status === CONFLICT) {
      throw new ProviderFault("unknown", `${name} was answered with ${CONFLICT}`, { code: "key_in_use" });
    }
    return this.#objectOf(answer, name);
  }

  /** Returns a page of a list: an object with its rows, or the rows alone. Throws ProviderFault. */
  async page(path: string, query: Readonly<Record<string, string>>, signal?: AbortSignal): Promise<ListPage> {
    const answer = await this.#answer("GET", `${path}?${new URLSearchParams(query).toString()}`, { signal });
    const isRowsAlone = answer.text.trimStart().startsWith("[");
    const text = isRowsAlone ? `{"data":${answer.text}}` : answer.text;
    const found = this.#objectOf({ ...answer, text }, nameOf("GET", path));
    if (!found) throw new ProviderFault("unknown", "a list was answered with 404");
    return { rows: rowsOf(found, "data"), cursor: cursorIn(found) };
  }

  async #answer(
    method: "GET" | "POST" | "DELETE",
    path: string,
    { body, key, signal }: CallOptions,
  ): Promise<Answer> {
    return await this.#connection.call(`${this.account.baseUrl}${path}`, {
      method,
      headers: {
        authorization: this.#authorization(),
        accept: "application/json",
        "user-agent": USER_AGENT,
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...(key === undefined ? {} : { "idempotency-key": key }),
      },
      signal,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  }

  /**
   * Returns the rows of a list's pages, of which there is one unless `pagesMax` allows more. A row that is added
   * meanwhile may move another one into two pages. Throws ProviderFault if there are more pages, or an answer is no list.
   */
  async list(
    path: string,
    query: Readonly<Record<string, string>>,
    { size, pagesMax = 1, hasCursors = false, signal }: ListOptions,
  ): Promise<Fields[]> {
    const rows: Fields[] = [];
    let place: Readonly<Record<string, string>> | undefined = {};
    for (let page = 1; place && page <= pagesMax; page++) {
      const paged = { ...query, size: String(size), ...place };
      const found = await this.page(path, paged, signal);
      rows.push(...found.rows);
      const cursor = hasCursors ? found.cursor : undefined;
      if (found.rows.length < size || cursor === null) return rows;
      const goesOn = cursor === undefined ? undefined : { forward_cursor: cursor };
      place = hasCursors ? goesOn : { page: String(page + 1) };
    }
    throw new ProviderFault("unknown", "a list is too large", { code: "statement_too_large" });
  }

  /** Returns the rows of all contests that were opened since then. Throws ProviderFault, also if they are too many. */
  async disputes(since: Date, signal?: AbortSignal): Promise<Fields[]> {
    const rows: Fields[] = [];
    let place: Readonly<Record<string, string>> = {};
    for (let page = 1; page <= DISPUTE_PAGES_MAX; page++) {
      const createdSince = since.toISOString().slice(0, "2026-01-01T00:00:00".length);
      const query = { createdAt__gte: createdSince, limit: String(DISPUTE_ROWS), ...place };
      const url = `${this.account.disputesUrl}?${new URLSearchParams(query).toString()}`;
      const found = await this.#get(url, "GET /disputes", { authorization: this.#authorization() }, signal);
      if (!found) throw new ProviderFault("refused", "the list of disputes was answered with 404");
      rows.push(...rowsOf(found, "data"));
      const cursor = objectOf(found, "page")?.["forwardCursor"];
      if (typeof cursor !== "string" || cursor === "") return rows;
      place = { forwardCursor: cursor };
    }
    throw new ProviderFault("unknown", "a list is too large", { code: "statement_too_large" });
  }

  /** Returns what a token of a card's may show, or undefined if it is not known. The public key alone reads it. */
  async token(id: string): Promise<Fields | undefined> {
    const { baseUrl, publicKey } = this.account;
    const url = `${baseUrl}/tokens/${encodeURIComponent(id)}?appId=${encodeURIComponent(publicKey)}`;
    return await this.#get(url, "GET /tokens");
  }

  async close(): Promise<void> {
    await this.#connection.close();
  }

  async #publishedKeys(): Promise<Fields[]> {
    const found = await this.#get(this.account.jwksUrl, "GET of the keys of callbacks");
    if (!found) throw new ProviderFault("unknown", "the keys of callbacks were answered with 404");
    return rowsOf(found, "keys");
  }

  async #get(
    url: string,
    name: string,
    more: Readonly<Record<string, string>> = {},
    signal?: AbortSignal,
  ): Promise<Fields | undefined> {
    const headers = { accept: "application/json", "user-agent": USER_AGENT, ...more };
    return this.#objectOf(await this.#connection.call(url, { method: "GET", headers, signal }), name);
  }

  /** Returns the header with the secret key. Throws ProviderFault for one of test mode. */
  #authorization(): string {
    const { secretKey } = this.account;
    if (!isLiveKey("secret", secretKey)) {
      throw new ProviderFault("misconfigured", "the key is not of live mode", { code: "wrong_mode" });
    }
    return `Basic ${Buffer.from(`${secretKey}:`).toString("base64")}`;
  }

  #objectOf(answer: Answer, name: string): Fields | undefined {
    if (answer.status === 404) return undefined;
    if (answer.status < 200 || answer.status > 299) throw refusalOf(answer, name, this.now());
    const fields = objectIn(answer.text);
    if (!fields) throw new ProviderFault("unknown", `${name} was answered with no JSON object`);
    return fields;
  }
}

function nameOf(method: string, path: string): string {
  return `${method} /${path.split(/[/?]/)[1] ?? ""}`;
}

/** Returns where a list goes on: null at its end, undefined if its answer does not say that. */
function cursorIn(list: Fields): string | null | undefined {
  const cursor = objectOf(list, "paging")?.["forward_cursor"];
  if (cursor === null || cursor === "") return null;
  return typeof cursor === "string" || typeof cursor === "number" ? String(cursor) : undefined;
}
