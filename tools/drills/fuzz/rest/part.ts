import { randomUUID } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { VALID, type Operation } from "../../../../test/support/asked.ts";
import { createMerchant } from "../../../../test/support/merchant.ts";
import { Http } from "../../http.ts";
import { checkAnswer, shown, type RestAnswer } from "../contract.ts";
import { requireNoFault } from "../faults.ts";
import { casesOf, Mismatch, type Part } from "../part.ts";
import { Snapshots } from "../snapshot.ts";
import type { Target } from "../target.ts";
import { hostiles, type Hostile } from "./requests.ts";

const TIMEOUT_MS = 30_000;

/** Requests that no correct client sends, at every address of the API. */
export const REST: Part = {
  name: "rest",
  share: 40,
  prepare: async (target, tally) => {
    const rest = await Rest.open(target);
    // A refusal that was decided is kept for replays.
    const kept = new Snapshots(target, ["idempotency"]);
    const all = new Snapshots(target);
    const run = async (requests: readonly Hostile[]): Promise<void> => {
      const isBad = requests.every((request) => request.isBad);
      const snapshots = isBad ? all : kept;
      const before = await snapshots.take();
      const answers: RestAnswer[] = [];
      for (const request of requests) {
        const answer = await rest.send(request);
        tally.status(answer.status);
        answers.push(answer);
        checkAnswer(answer);
        checkTaken(request, answer);
      }
      requireNoFault(target);
      if (answers.every(({ status }) => status >= 400))
        await snapshots.expectSame(before, () => answers.map((answer) => shown(answer)).join("\n"));
    };
    return casesOf(hostiles, run, () => Promise.resolve(rest.close()));
  },
};

function checkTaken({ isBad, exact }: Hostile, answer: RestAnswer): void {
  if (isBad && answer.status < 400) throw new Mismatch(`taken although it is bad: ${shown(answer)}`);
  if (Object.keys(exact).length === 0) return;
  if (answer.status !== 201) throw new Mismatch(`good texts are refused: ${shown(answer)}`);
  const body = JSON.parse(answer.text) as Record<string, unknown>;
  for (const [name, sent] of Object.entries(exact)) {
    if (!isDeepStrictEqual(body[name], sent))
      throw new Mismatch(`${name} came back as ${JSON.stringify(body[name])}, not ${JSON.stringify(sent)}`);
  }
}

/** A merchant's client that sends bytes as they are. */
class Rest {
  readonly #http: Http;
  readonly #key: string;
  readonly #urls: Readonly<Record<Operation | "list" | "get", string>>;

  private constructor(http: Http, key: string, urls: Record<Operation | "list" | "get", string>) {
    this.#http = http;
    this.#key = key;
    this.#urls = urls;
  }

  static async open({ service, baseUrl }: Target): Promise<Rest> {
    const merchant = await createMerchant(service);
    const { testKey } = merchant.tenant;
    const http = new Http(() => baseUrl);
    const start = { link: "/v1/payment_links", quote: "/v1/quotes", intent: "/v1/payment_intents" };
    const urls = {
      ...start,
      accept: "",
      simulate: "",
      refund: "",
      list: "/v1/payments",
      get: "/v1/payments",
    };
    const first = new Rest(http, testKey, urls);
    const made = async (operation: Operation): Promise<string> => {
      const body = Buffer.from(JSON.stringify(VALID[operation]));
      const answer = await first.send({ operation, body, query: "", headers: {}, isBad: false, exact: {} });
      return (JSON.parse(answer.text) as { id: string }).id;
    };
    const accept = `/v1/quotes/${await made("quote")}/accept`;
    const simulate = `/v1/payment_links/${await made("link")}/simulate_payment`;
    const refund = `/v1/payments/${(await merchant.pay()).body.id}/refunds`;
    return new Rest(http, testKey, { ...urls, accept, simulate, refund });
  }

  async send({ operation, query, body, headers }: Hostile): Promise<RestAnswer> {
    const path = `${this.#urls[operation]}${query}`;
    const authorization = `Bearer ${this.#key}`;
    if (!body) return await this.#http.send({ method: "GET", path, headers: { authorization } }, TIMEOUT_MS);
    const sent = {
      authorization,
      "content-type": "application/json",
      "content-length": String(body.length),
      "idempotency-key": randomUUID(),
      ...headers,
    };
    return await this.#http.send({ method: "POST", path, headers: sent, body }, TIMEOUT_MS);
  }

  close(): void {
    this.#http.close();
  }
}
