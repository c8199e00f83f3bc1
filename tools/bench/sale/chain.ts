import { Pool } from "undici";
import { headersOf, type Server } from "../server.ts";
import { nextKey } from "../workloads.ts";
import type { Receiver } from "./receiver.ts";

export const KINDS = ["quote", "link"] as const;
/** How a sale begins: with a quote that is accepted, or with a bare link. */
export type Kind = (typeof KINDS)[number];

export const STEPS = [
  "quote",
  "accept",
  "create",
  "page",
  "session",
  "start",
  "success",
  "event",
  "payment",
] as const;

/** What one sale took, in milliseconds a step, and what the API answered. */
export interface Sale {
  readonly stepsMs: ReadonlyMap<string, number>;
  readonly answers: readonly string[];
}

interface Asked {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly headers: Record<string, string>;
  readonly body?: string;
  readonly status: number;
}

interface Answered {
  readonly text: string;
  readonly location: string;
  readonly cookie: string;
}

const FORM = { "content-type": "application/x-www-form-urlencoded" };
const PAGE = { accept: "text/html" };
const LINK_ID = /"id":"(pl_\w+)"/;

/** The seller, the payer and the merchant's receiver of one service. `sellers`: how many sales go on at a time. */
export class Shop {
  readonly #server: Server;
  readonly #receiver: Receiver;
  readonly #pool: Pool;

  constructor(server: Server, receiver: Receiver, sellers: number) {
    this.#server = server;
    this.#receiver = receiver;
    this.#pool = new Pool(server.address, { connections: sellers, pipelining: 1 });
  }

  /** Sells once, and checks every answer. Throws Error if one is wrong: all of them must name the same amount. */
  async sell(kind: Kind, amount: number): Promise<Sale> {
    const stepsMs = new Map<string, number>();
    const answers: string[] = [];
    const ask = async (step: string, asked: Asked): Promise<Answered> => {
      const startMs = performance.now();
      const answered = await this.#ask(asked);
      stepsMs.set(step, performance.now() - startMs);
      if (asked.headers["authorization"]) answers.push(answered.text);
      return answered;
    };
    const linkId = kind === "quote" ? await this.#byQuote(ask, amount) : await this.#byLink(ask, amount);
    await this.#startPayment(ask, linkId, amount);
    const success = await ask(
      "success",
      this.#post(`/v1/payment_links/${linkId}/simulate_payment`, { outcome: "succeeded" }, 200),
    );
    const paidMs = performance.now();
    const payment = JSON.parse(success.text) as { id: string; link_id: string; status: string };
    requireEqual("the payment", [payment.link_id, payment.status], [linkId, "succeeded"]);
    requireAmount("the payment", success.text, amount);
    const { event, atMs } = await this.#receiver.eventOf(payment.id);
    stepsMs.set("event", Math.max(0, atMs - paidMs));
    requireEqual("the event", [event.type, event.data.payment], ["payment.succeeded", payment]);
    const headers = headersOf(this.#server.key);
    const path = `/v1/payments/${payment.id}`;
    const read = await ask("payment", { method: "GET", path, headers, status: 200 });
    requireEqual("the payment as it is read", JSON.parse(read.text), payment);
    return { stepsMs, answers: [...answers, JSON.stringify(event)] };
  }

  async close(): Promise<void> {
    await this.#pool.close();
  }

  async #byQuote(ask: Ask, amount: number): Promise<string> {
    const wanted = { amount, currency: "BRL", payment_method: "pix" };
    const quote = await ask("quote", this.#post("/v1/quotes", wanted, 201));
    const { id, payer_total: total } = JSON.parse(quote.text) as { id: string; payer_total: number };
    requireEqual("the quote", total, amount);
    const terms = { name: "Running shoes", reference: "order-1042" };
    const accepted = await ask("accept", this.#post(`/v1/quotes/${id}/accept`, terms, 201));
    requireAmount("the accepted quote", accepted.text, amount);
    return firstIn(accepted.text, LINK_ID);
  }

  async #byLink(ask: Ask, amount: number): Promise<string> {
    const wanted = { amount, currency: "BRL", reference: "order-1042", description: "Running shoes" };
    const link = await ask("create", this.#post("/v1/payment_links", wanted, 201));
    requireAmount("the link", link.text, amount);
    return firstIn(link.text, LINK_ID);
  }

  /** Does what the payer's browser does, by the page's own forms. */
  async #startPayment(ask: Ask, linkId: string, amount: number): Promise<void> {
    const page = await ask("page", { method: "GET", path: `/pay/${linkId}`, headers: PAGE, status: 200 });
    const shown = `${Math.floor(amount / 100)},${String(amount % 100).padStart(2, "0")}`;
    if (!page.text.includes(shown)) throw new Error(`the page does not show ${shown}: ${page.text}`);
    const prices = firstIn(page.text, /name="prices" value="([^"]+)"/);
    const path = firstIn(page.text, /action="([^"]+)"/);
    const session = await ask("session", form(path, { prices }));
    if (!session.location.startsWith(`/pay/${linkId}/cs_`)) throw new Error("the form opens no session");
    const started = form(`${session.location}/payments`, { way: "pix-1" }, { cookie: session.cookie });
    const { location } = await ask("start", started);
    requireEqual("where the payer is led", location, session.location);
  }

  #post(path: string, body: object, status: number): Asked {
    const headers = { ...headersOf(this.#server.key), "idempotency-key": nextKey() };
    return { method: "POST", path, headers, body: JSON.stringify(body), status };
  }

  async #ask({ status, ...request }: Asked): Promise<Answered> {
    const { statusCode, headers, body } = await this.#pool.request({
      ...request,
      body: request.body ?? null,
    });
    const text = await body.text();
    if (statusCode !== status)
      throw new Error(`${request.path} answers ${statusCode}: ${text.slice(0, 500)}`);
    const [cookie = ""] = String(headers["set-cookie"] ?? "").split(";");
    return { text, location: String(headers["location"] ?? ""), cookie };
  }
}

type Ask = (step: string, asked: Asked) => Promise<Answered>;

function form(path: string, fields: Record<string, string>, headers: Record<string, string> = {}): Asked {
  const body = new URLSearchParams(fields).toString();
  return { method: "POST", path, headers: { ...FORM, ...PAGE, ...headers }, body, status: 303 };
}

function firstIn(text: string, pattern: RegExp): string {
  const found = pattern.exec(text)?.[1];
  if (found === undefined) throw new Error(`no ${pattern} in ${text.slice(0, 500)}`);
  return found;
}

function requireAmount(what: string, text: string, amount: number): void {
  requireEqual(what, (JSON.parse(text) as { amount: number }).amount, amount);
}

function requireEqual(what: string, found: unknown, expected: unknown): void {
  const [one, other] = [JSON.stringify(found), JSON.stringify(expected)];
  if (one !== other) throw new Error(`${what} is ${one}, not ${other}`);
}
