import { afterAll, beforeAll, expect, test } from "vitest";
import type { FastifyInstance } from "fastify";
import { amountOfBrCode } from "../../src/providers/br-code.ts";
import { DatabaseRows } from "../support/database-rows.ts";
import { createMerchant, type Merchant } from "../support/merchant.ts";
import { startReceiver, type Receiver } from "../support/receiver.ts";
import { startService, type TestService } from "../support/service.ts";

const LINKS = 1000;
const SIDE_BY_SIDE = 10;

let service: TestService;
let rows: DatabaseRows;
let receiver: Receiver;
let worker: { stop(): Promise<void> };
let merchants: Merchant[];

beforeAll(async () => {
  service = await startService();
  rows = await new DatabaseRows(service.databaseUrl).open();
  receiver = await startReceiver();
  worker = service.core.startWorker();
  merchants = await Promise.all(
    (["BRL", "USD"] as const).map((payoutCurrency) => createMerchant(service, { payoutCurrency })),
  );
  for (const { webhooks, as } of merchants) await webhooks.createWebhookEndpoint({ url: receiver.url }, as);
});
afterAll(async () => {
  await worker.stop();
  await receiver.close();
  await rows.close();
  await service.close();
});

/** Payments as the API shows them, by id. */
const paidFor = new Map<string, object>();

function pick<Item>(items: readonly Item[]): Item {
  return items[Math.floor(Math.random() * items.length)] as Item;
}

/** Amounts of every size: as likely a few centavos more than the fees as a fortune. */
function randomLink() {
  return {
    amount: Math.floor(10 ** (3 + Math.random() * 6)) + Math.floor(Math.random() * 100),
    currency: pick(["BRL", "USD"]),
    fee_handling: pick(["absorb", "pass_through"]),
    payment_methods: [pick(["pix", "card"])],
    campaign: pick([true, false]),
  };
}

/** A page's text without a browser: what stands in its markup. */
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

async function payOne(): Promise<void> {
  const merchant = pick(merchants);
  const { body: link } = await merchant.api.post("/v1/payment_links", randomLink());
  const page = new Markup(service.gateway, `/pay/${link.id}`);
  await page.post("/sessions");
  const chooser = await page.get("?choose=1");
  const way = pick([...chooser.matchAll(/name="way"\s+value="([a-z]+-\d+)"/g)])[1] ?? "";
  const confirm = await page.get(`?way=${way}`);
  const [total = "", ...others] = totalsOf(confirm);
  expect(others).toEqual([]);
  const offered = new RegExp(`data-way="${way}"\\s+data-total="(\\d+)"`).exec(chooser)?.[1];
  expect(offered ?? total).toBe(total);
  const form = { way, ...(link.fee_handling === "pass_through" ? { acknowledged_total: total } : {}) };
  await page.post("/payments", { ...form, ...(way === "pix-1" ? {} : { card_token: "tok_approved" }) });
  if (way === "pix-1") {
    const waiting = await page.get();
    expect(totalsOf(waiting)).toEqual(new Set([total]));
    const code = /<textarea[^>]*>([^<]*)</.exec(waiting)?.[1] ?? "";
    expect(amountOfBrCode(code).toString()).toBe(total);
    await page.post("/simulate", { action: "approve" });
  }
  const paid = await page.get();
  expect(totalsOf(paid)).toEqual(new Set([total]));
  const id = /pay_[0-9a-z]{26}/.exec(paid)?.[0] ?? "";
  const { body: payment } = await merchant.api.get(`/v1/payments/${id}`);
  expect(payment).toMatchObject({ status: "succeeded", amount: Number(total), gross_amount: Number(total) });
  const priced = `test.payment p JOIN test.price r ON r.tenant_id = p.tenant_id AND r.id = p.price_id
    WHERE p.id = $1 AND r.payer_total_minor = $2 AND r.receiver_net_minor = $3 AND r.total_fee_minor = $4`;
  expect(await rows.count(priced, [id, total, payment.net_amount, payment.fee_amount])).toBe(1);
  paidFor.set(id, payment);
}

test(`for ${LINKS} random links the page, the BR Code, the Payment, the webhook and the price row agree`, async () => {
  let begun = 0;
  const payers = Array.from({ length: SIDE_BY_SIDE }, async () => {
    while (begun++ < LINKS) await payOne();
  });
  await Promise.all(payers);
  await receiver.until(LINKS);
  for (const { text } of receiver.received) {
    const { payment } = JSON.parse(text).data;
    expect(payment).toEqual(paidFor.get(payment.id));
    paidFor.delete(payment.id);
  }
  expect(paidFor.size).toBe(0);
  const methods = await rows.count(
    "(SELECT DISTINCT method, fee_handling, currency, receiver_currency FROM test.price) way",
  );
  expect(methods).toBe(16);
}, 120_000);
