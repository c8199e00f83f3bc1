import createClient from "openapi-fetch";
import { OPERATIONS } from "../gen/sdk/operations.ts";
import { PaylinkError } from "./errors.ts";
import { retryAfterSeconds, retrying, type RetryOptions } from "./retries.ts";
import type { CallOptions, Input, Item, ListId, Methods, OperationId } from "./types.ts";

export interface PaylinkOptions extends RetryOptions {
  /** The service's address, such as "https://pay.example.com". */
  readonly baseUrl: string;
  /** The API key. Its prefix chooses the environment. */
  readonly key: string;
}

/** The API: a function for each operation, and `all` for lists. */
export interface Paylink extends Methods {
  /** Reads a list to its end, page by page, from `input` on. */
  all<Id extends ListId>(id: Id, input?: Input<Id>, options?: CallOptions): AsyncGenerator<Item<Id>, void>;
}

type Fields = Readonly<Record<string, unknown>>;

interface Operation {
  readonly verb: string;
  readonly path: string;
  readonly inPath: readonly string[];
  readonly inQuery: readonly string[];
  readonly isKeyed: boolean;
}

interface Page {
  readonly data: readonly unknown[];
  readonly next_cursor?: string | null;
}

type Send = (
  verb: string,
  path: string,
  init: object,
) => Promise<{ data?: unknown; error?: unknown; response: Response }>;

/**
 * Returns a client of the API. Error of a base URL without its scheme: TypeError. Errors of its calls: PaylinkError,
 * ConnectionError.
 */
export function createPaylink({ baseUrl, key, ...retries }: PaylinkOptions): Paylink {
  if (!/^https?:\/\/./i.test(baseUrl)) {
    throw new TypeError(`baseUrl needs its scheme, such as "https://pay.example.com": "${baseUrl}".`);
  }
  const headers = { authorization: `Bearer ${key}` };
  const client = createClient({ baseUrl, headers, fetch: retrying(retries) });
  const send = client.request as unknown as Send;

  async function call({ verb, path, ...places }: Operation, input: Fields = {}, options: CallOptions = {}) {
    const { idempotencyKey = places.isKeyed ? crypto.randomUUID() : undefined, signal } = options;
    const unnameable = places.inPath.find((name) => isNoSegment(input[name]));
    if (unnameable !== undefined) throw new TypeError(`${unnameable} names nothing in ${path}.`);
    const isElsewhere = (name: string): boolean => [...places.inPath, ...places.inQuery].includes(name);
    const { data, error, response } = await send(verb, path, {
      params: { path: picked(input, places.inPath), query: picked(input, places.inQuery) },
      ...(verb === "POST"
        ? { body: Object.fromEntries(Object.entries(input).filter(([name]) => !isElsewhere(name))) }
        : {}),
      ...(idempotencyKey === undefined ? {} : { headers: { "idempotency-key": idempotencyKey } }),
      ...(signal ? { signal } : {}),
    });
    if (!response.ok) throw new PaylinkError(response.status, error, retryAfterSeconds(response.headers));
    return data;
  }

  const methods = Object.fromEntries(
    Object.entries<Operation>(OPERATIONS).map(([id, operation]) => [
      id,
      async (input?: Fields, options?: CallOptions) => await call(operation, input, options),
    ]),
  ) as unknown as Methods;

  async function* all(
    id: OperationId,
    input: Fields = {},
    options: CallOptions = {},
  ): AsyncGenerator<unknown, void> {
    for (let cursor: string | null | undefined; cursor !== null;) {
      const after = cursor === undefined ? {} : { starting_after: cursor };
      const page = (await call(OPERATIONS[id], { ...input, ...after }, options)) as Page;
      yield* page.data;
      // A list that comes in one answer has no cursor.
      cursor = page.next_cursor ?? null;
    }
  }
  return { ...methods, all: all as Paylink["all"] };
}

/** Returns true for what an address does not keep as a part of its path: another operation would be called. */
const isNoSegment = (value: unknown): boolean =>
  value === undefined || ["", ".", ".."].includes(value as string);

function picked(input: Fields, names: readonly string[]): Fields {
  return Object.fromEntries(
    names.flatMap((name) => (input[name] === undefined ? [] : [[name, input[name]]])),
  );
}
