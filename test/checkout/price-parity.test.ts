import { afterAll, expect, test } from "vitest";
import type { FastifyInstance } from "fastify";
import { amountOfBrCode } from "../../src/providers/br-code.ts";
import type { Answer } from "../support/api.ts";
import { DatabaseRows } from "../support/database-rows.ts";
import { forFile } from "../support/for-file.ts";
import { createMerchant, type Merchant } from "../support/merchant.ts";
import { startReceiver } from "../support/receiver.ts";
import { times } from "../support/scale.ts";
import { randomFor } from "../support/seed.ts";
import { startService } from "../support/service.ts";

const LINKS = times(1000, 50);
const SIDE_BY_SIDE = 10;

const service = await forFile(startService());
const rows = await forFile(new DatabaseRows(service.databaseUrl).open());
const receiver = await forFile(startReceiver());
const worker = service.core.startWorker();
afterAll(async () => await worker.stop());
const merchants = await Promise.all(
  (["BRL", "USD"] as const).map((payoutCurrency) => createMerchant(service, { payoutCurrency })),
);
const eventTypes = { values: ["payment.succeeded"] };
for (const { webhooks, as } of merchants)
  await webhooks.createWebhookEndpoint({ url: receiver.url, eventTypes }, as);

/** Totals as the page showed them, by payment. */
const shown = new Map<string, string>();

const random = randomFor("links");

/**
 * Amounts of every size: as likely a few centavos more than the fees as a fortune. The bits of the index choose the
 * rest, so that every combination comes, however few links there are.
 */
function randomLink(index: number) {
  const bit = <Item>(place: number, items: readonly [Item, Item]): Item =>
    items[(index >> place) & 1] as Item;
  return {
    merchant: bit(0, merchants as [Merchant, Merchant]),
    link: {
      amount: Math.floor(10 ** (3 + random.fraction() * 6)) + random.integer(0, 99),
      currency: bit(1, ["BRL", "USD"]),
      fee_handling: bit(2, ["absorb", "pass_through"]),
      payment_methods: [bit(3, ["pix", "card"])],
      campaign: bit(4, [true, false]),
    },
  };
}

/** A page's text without a browser: what its markup has. */
class Markup {
  readonly #gateway: FastifyInstance;
  path: string;

  constructor(gateway: FastifyInstance, path: string) {
    this.#gateway = gateway;
    this.path = path;
  }

  async get(query = ""): Promise<string> {
    const { statusCode, body } = await this.#gateway.inject({ url: `${this.path}${query}` });
    if (statusCode !== 200) throw new Error(`${this.path}${query} is answered ${statusCode}`);
    return body.replaceAll(/[\u00A0\u202F]/g, " ");
  }

  async post(step: string, form: Record<string, string> = {}): Promise<void> {
    const { statusCode, headers } = await this.#gateway.inject({
      method: "POST",
      url: `${this.path}${step}`,
      headers: { "content-type": "application/x-www-form-urlencoded" },
      payload: new URLSearchParams(form).toString(),
    });
    if (statusCode !== 303) throw new Error(`${this.path}${step} is answered ${statusCode}`);
    this.path = String(headers.location);
  }
}

/** The total as the page says it, by figure and as text. */
function totalsOf(markup: string): Set<string> {
  const found = [...markup.matchAll(/<(?:dd|p)[^>]* data-total="(\d+)"[^>]*>\s*([^<]*?)\s*</g)];
  return new Set(
    found.flatMap(([, figure = "", text = ""]) => [figure, text.replaceAll(/\D/g, "").replace(/^0+/, "")]),
  );
}

async function payOne(index: number): Promise<void> {
  const { merchant, link: given } = randomLink(index);
  const { body: link } = await merchant.api.post("/v1/payment_links", given);
  const page = new Markup(service.gateway, `/pay/${link.id}`);
  await page.post("/sessions");
  // From R$ 10,00 on a card takes one or two installments.
  const key = link.payment_methods[0] === "card" ? random.pick(["card-1", "card-2"]) : "pix-1";
  const confirm = await page.get(`?way=${key}`);
  const [total = "", ...others] = totalsOf(confirm);
  expect(others).toEqual([]);
  const form = { way: key, ...(link.fee_handling === "pass_through" ? { acknowledged_total: total } : {}) };
  await page.post("/payments", { ...form, ...(key === "pix-1" ? {} : { card_token: "tok_approved" }) });
  if (key === "pix-1") {
    const waiting = await page.get();
    expect(totalsOf(waiting)).toEqual(new Set([total]));
    const code = /<textarea[^>]*>([^<]*)</.exec(waiting)?.[1] ?? "";
    expect(amountOfBrCode(code).toString()).toBe(total);
    await page.post("/simulate", { action: "approve" });
  }
  const paid = await page.get();
  expect(totalsOf(paid)).toEqual(new Set([total]));
  const id = /pay_[0-9a-z]{26}/.exec(paid)?.[0] ?? "";
  shown.set(id, total);
}

/** Every payment as the API shows it, by id. */
async function listPayments(): Promise<Map<string, Answer["body"]>> {
  const found = new Map<string, Answer["body"]>();
  for (const { api } of merchants) {
    for (let after = ""; ;) {
      const { body } = await api.get(`/v1/payments?from=2020-01-01&to=2099-01-01&limit=100${after}`);
      for (const payment of body.data) found.set(payment.id, payment);
      if (!body.has_more) break;
      after = `&starting_after=${body.next_cursor}`;
    }
  }
  return found;
}

test(`for ${LINKS} random links the page, the BR Code, the Payment, the webhook and the price row agree`, async () => {
  let begun = 0;
  const payers = Array.from({ length: SIDE_BY_SIDE }, async () => {
    for (let index = begun++; index < LINKS; index = begun++) await payOne(index);
  });
  await Promise.all(payers);
  await receiver.until(LINKS);
  const payments = await listPayments();
  const sent = new Map(receiver.received.map(({ text }) => [JSON.parse(text).data.payment.id, text]));
  for (const [id, total] of shown) {
    const payment = payments.get(id);
    expect(payment).toMatchObject({
      status: "succeeded",
      amount: Number(total),
      gross_amount: Number(total),
    });
    expect(JSON.parse(sent.get(id) ?? "{}").data.payment).toEqual(payment);
  }
  const priced = `test.payment p JOIN test.price r ON r.tenant_id = p.tenant_id AND r.id = p.price_id
    JOIN jsonb_to_recordset($1) AS seen (id text, amount int8, net_amount int8, fee_amount int8) ON seen.id = p.id
    WHERE (r.payer_total_minor, r.receiver_net_minor, r.total_fee_minor) = (amount, net_amount, fee_amount)`;
  expect(shown.size).toBe(LINKS);
  expect(await rows.count(priced, [JSON.stringify([...payments.values()])])).toBe(LINKS);
  const methods = await rows.count(
    "(SELECT DISTINCT method, fee_handling, currency, receiver_currency FROM test.price) option",
  );
  expect(methods).toBe(16);
}, 480_000);
