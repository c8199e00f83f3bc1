import { headersOf, type Server } from "./server.ts";

/** The services that are compared. `plain` and its variant `single` are in plain/, `floor` is floor.ts. */
export type Rival = "plain" | "single" | "floor";

interface Request {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly headers: Record<string, string>;
  readonly body?: string;
}

/** The requests of a round. `amount`: how many there are; absent: any number. */
interface Requests {
  readonly next: () => Request;
  readonly amount?: number;
}

export interface Scale {
  readonly connections: number;
  /** Payments that the tenant has at the start. */
  readonly payments: number;
}

/** A kind of request. `rivals` are who answers it besides this service. */
export interface Workload {
  readonly name: string;
  readonly title: string;
  readonly rivals: readonly Rival[];
  /** Makes what the requests of a round need, before it begins. */
  prepare(server: Server, scale: Scale): Requests | Promise<Requests>;
  isRight(body: string): boolean;
}

export const LINK = {
  amount: 15_990,
  currency: "BRL",
  reference: "order-1042",
  description: "Running shoes",
  product_ref: "SKU-7",
  metadata: { order: "1042", channel: "web" },
};
const QUOTE = { amount: 15_990, currency: "BRL" };

// Requests of a round that need something made for each of them: a second or more.
const PREPARED_MIN = 100;
const PREPARED_PER_CONNECTION = 50;
const REPLAYED = 200;

export const WORKLOADS: readonly Workload[] = [
  {
    name: "create",
    title: "POST /v1/payment_links",
    rivals: ["plain", "single", "floor"],
    prepare: (server) => ({ next: () => create(server, nextKey()) }),
    isRight: isActiveLink,
  },
  {
    name: "replay",
    title: "POST /v1/payment_links again",
    rivals: ["plain"],
    prepare: async (server) => {
      const keys = Array.from({ length: REPLAYED }, nextKey);
      await inTurn(
        server,
        keys.map((key) => create(server, key)),
      );
      return { next: roundRobin(keys.map((key) => create(server, key))) };
    },
    isRight: isActiveLink,
  },
  {
    name: "quote",
    title: "POST /v1/quotes, one payment method",
    rivals: ["plain"],
    prepare: (server) => ({
      next: () => post(server, "/v1/quotes", { ...QUOTE, payment_method: "pix" }, nextKey()),
    }),
    isRight: (body) => body.startsWith('{"id":"qt_') && body.includes('"payer_total"'),
  },
  {
    name: "scenarios",
    title: "POST /v1/quotes, all scenarios",
    rivals: [],
    prepare: (server) => ({ next: () => post(server, "/v1/quotes", QUOTE, nextKey()) }),
    isRight: (body) => body.includes('"scenarios":{"pix":{"quote_id":"qt_'),
  },
  {
    name: "accept",
    title: "POST /v1/quotes/{id}/accept",
    rivals: ["plain"],
    prepare: async (server, scale) => {
      const quotes = await made(server, scale, () =>
        post(server, "/v1/quotes", { ...QUOTE, payment_method: "pix" }, nextKey()),
      );
      return oneByOne(
        quotes.map((id) =>
          post(
            server,
            `/v1/quotes/${id}/accept`,
            { name: "Running shoes", reference: "order-1042" },
            nextKey(),
          ),
        ),
      );
    },
    isRight: (body) => body.startsWith('{"id":"pl_') && body.includes('"payer_total":15990'),
  },
  {
    name: "simulate",
    title: "POST /v1/payment_links/{id}/simulate_payment",
    rivals: ["plain"],
    prepare: async (server, scale) => {
      const links = await made(server, scale, () => create(server, nextKey()));
      return oneByOne(
        links.map((id) =>
          post(server, `/v1/payment_links/${id}/simulate_payment`, { outcome: "succeeded" }, nextKey()),
        ),
      );
    },
    isRight: (body) => body.startsWith('{"id":"pay_') && body.includes('"status":"succeeded"'),
  },
  {
    name: "payment",
    title: "GET /v1/payments/{id}",
    rivals: ["plain", "floor"],
    prepare: (server, { payments }) => {
      let last = 0;
      return {
        next: () => {
          // Far apart, and each once before any comes again.
          last = (last + 61_803) % payments;
          return get(server, `/v1/payments/pay_${String(last + 1).padStart(26, "0")}`);
        },
      };
    },
    isRight: (body) => body.startsWith('{"id":"pay_'),
  },
  page("page20", "GET /v1/payments, 20 of a month", { days: 30, limit: 20 }),
  page("page100", "GET /v1/payments, 100 of a month", { days: 30, limit: 100 }),
  page("page100-day", "GET /v1/payments, 100 of a day", { days: 1, limit: 100 }),
  page("page100-years", "GET /v1/payments, 100 of eighty years", { days: 80 * 365, limit: 100 }),
  {
    name: "walk",
    title: "GET /v1/payments, each page of 100 of a month after the other",
    rivals: [],
    prepare: (server, { payments }) => {
      let last = 0;
      return {
        next: () => {
          last = (last + 100) % payments;
          const cursor = `pay_${String(last + 1).padStart(26, "0")}`;
          return get(server, `${pagePath({ days: 80 * 365, limit: 100 })}&starting_after=${cursor}`);
        },
      };
    },
    isRight: isPage,
  },
  {
    name: "payer",
    title: "GET /pay/{link}, the payer's page",
    rivals: ["plain"],
    prepare: async (server) => {
      const [link = ""] = await inTurn(server, [create(server, nextKey())]);
      return { next: () => ({ method: "GET", path: `/pay/${link}`, headers: { accept: "text/html" } }) };
    },
    isRight: (body) => body.includes("159,90"),
  },
];

function page(name: string, title: string, range: { days: number; limit: number }): Workload {
  return {
    name,
    title,
    rivals: ["plain", "floor"],
    prepare: (server) => ({ next: () => get(server, pagePath(range)) }),
    isRight: isPage,
  };
}

function pagePath({ days, limit }: { readonly days: number; readonly limit: number }): string {
  return `/v1/payments?from=${day(days)}&to=${day(1)}&limit=${limit}`;
}

function isPage(body: string): boolean {
  return body.startsWith('{"data":[{"id":"pay_') && body.includes('"has_more":');
}

function isActiveLink(body: string): boolean {
  return (
    body.startsWith('{"id":"pl_') && body.includes('"status":"active"') && body.includes('"amount":15990')
  );
}

/** Returns the first payment link's request of a key. */
export function create(server: Server, key: string): Request {
  return post(server, "/v1/payment_links", LINK, key);
}

function post({ key }: Server, path: string, body: object, idempotencyKey: string): Request {
  const headers = { ...headersOf(key), "idempotency-key": idempotencyKey };
  return { method: "POST", path, headers, body: JSON.stringify(body) };
}

function get({ key }: Server, path: string): Request {
  return { method: "GET", path, headers: headersOf(key) };
}

let keys = 0;

export function nextKey(): string {
  return `bench-${process.pid}-${keys++}`;
}

function day(offset: number): string {
  return new Date(Date.now() - offset * 86_400_000).toISOString().slice(0, 10);
}

function roundRobin(requests: readonly Request[]): () => Request {
  let index = 0;
  return () => requests[index++ % requests.length] as Request;
}

function oneByOne(requests: readonly Request[]): Requests {
  return { next: roundRobin(requests), amount: requests.length };
}

async function made(server: Server, { connections }: Scale, request: () => Request): Promise<string[]> {
  const length = Math.max(PREPARED_MIN, connections * PREPARED_PER_CONNECTION);
  return await inTurn(server, Array.from({ length }, request));
}

/** Sends requests, 32 at a time. Returns the id of each answer. */
async function inTurn({ address }: Server, requests: readonly Request[]): Promise<string[]> {
  const ids: string[] = [];
  let index = 0;
  const send = async (): Promise<void> => {
    while (index < requests.length) {
      const at = index++;
      const { path, ...rest } = requests[at] as Request;
      const answer = await fetch(`${address}${path}`, rest);
      const { id } = (await answer.json()) as { id?: string };
      if (id === undefined) throw new Error(`${path} answers ${answer.status}`);
      ids[at] = id;
    }
  };
  await Promise.all(Array.from({ length: 32 }, send));
  return ids;
}
