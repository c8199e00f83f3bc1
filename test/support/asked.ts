import { randomUUID } from "node:crypto";
import { expect } from "vitest";
import { Api, type Answer } from "./api.ts";
import { DatabaseRows } from "./database-rows.ts";
import { expectError, type Refusal } from "./error-answer.ts";
import { startService, type TestService, type TestTenant } from "./service.ts";

export type Operation = "link" | "quote" | "accept" | "intent" | "simulate" | "refund";
export const OPERATIONS: readonly Operation[] = ["link", "quote", "accept", "intent", "simulate", "refund"];

/** Bodies that succeed, so that what is refused is refused for the one thing that differs. */
export const VALID: Readonly<Record<Operation, object>> = {
  link: { amount: 15_990, currency: "BRL" },
  quote: { amount: 15_990, currency: "BRL", payment_method: "card" },
  accept: { name: "Shoes" },
  intent: { amount: 15_990, currency: "BRL" },
  simulate: { outcome: "failed" },
  refund: { amount: 1 },
};

/** A valid body's text with another member. */
export const withMember = (operation: Operation, member: string): string =>
  `${JSON.stringify(VALID[operation]).slice(0, -1)},${member}}`;

/** A service that is asked for what it must refuse. */
export class Asked {
  readonly service: TestService;
  readonly tenant: TestTenant;
  readonly api: Api;
  readonly #rows: DatabaseRows;
  /** Of a quote that was not accepted, a link that was not paid and a payment that was. */
  readonly urls: Readonly<Record<Operation, string>>;

  private constructor(
    service: TestService,
    tenant: TestTenant,
    rows: DatabaseRows,
    urls: Record<Operation, string>,
  ) {
    this.service = service;
    this.tenant = tenant;
    this.api = new Api(service, tenant.testKey);
    this.#rows = rows;
    this.urls = urls;
  }

  static async start(): Promise<Asked> {
    const service = await startService();
    const rows = await new DatabaseRows(service.databaseUrl).open();
    const tenant = await service.createTenant();
    return new Asked(service, tenant, rows, await newUrls(new Api(service, tenant.testKey)));
  }

  async close(): Promise<void> {
    await this.#rows.close();
    await this.service.close();
  }

  /** The answer is a clear refusal, and the database has not one row more. */
  async expectRefused(ask: () => Promise<Answer>, refusal: Refusal): Promise<void> {
    const before = await this.#rows.countAll("test");
    expectError(await ask(), refusal);
    expectSame(await this.#rows.countAll("test"), before);
  }

  async post(operation: Operation, body: unknown): Promise<Answer> {
    return await this.api.post(this.urls[operation], body);
  }

  /** With a quote and a link of its own. */
  async postAnew(operation: Operation, body: unknown): Promise<Answer> {
    return await this.api.post((await newUrls(this.api))[operation], body);
  }

  /** Sends bytes as they are; a header that is undefined is left out. */
  async postBytes(
    url: string,
    payload: Buffer,
    headers: Record<string, string | undefined> = {},
  ): Promise<Answer> {
    const sent = {
      authorization: `Bearer ${this.tenant.testKey}`,
      "idempotency-key": randomUUID(),
      "content-type": "application/json",
      ...headers,
    };
    const given = Object.entries(sent).filter((entry): entry is [string, string] => entry[1] !== undefined);
    const response = await this.service.gateway.inject({
      method: "POST",
      url,
      headers: Object.fromEntries(given),
      payload,
    });
    const { statusCode: status, body: text } = response;
    return { status, headers: response.headers, text, body: JSON.parse(text) };
  }
}

function expectSame(after: Record<string, number>, before: Record<string, number>): void {
  expect(after).toEqual(before);
}

async function newUrls(api: Api): Promise<Record<Operation, string>> {
  const quote = await api.post("/v1/quotes", VALID.quote);
  const link = async (): Promise<string> =>
    (await api.post("/v1/payment_links", { ...VALID.link, payment_methods: ["pix", "card"] })).body.id;
  const paid = await api.post(`/v1/payment_links/${await link()}/simulate_payment`, { outcome: "succeeded" });
  return {
    link: "/v1/payment_links",
    quote: "/v1/quotes",
    accept: `/v1/quotes/${quote.body.id}/accept`,
    intent: "/v1/payment_intents",
    simulate: `/v1/payment_links/${await link()}/simulate_payment`,
    refund: `/v1/payments/${paid.body.id}/refunds`,
  };
}
