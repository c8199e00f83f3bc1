import { createClient } from "@connectrpc/connect";
import { afterAll, beforeAll, expect, test } from "vitest";
import { CheckoutService } from "../../gen/paylink/checkout/v1/checkout_pb.ts";
import { LinksService } from "../../gen/paylink/links/v1/links_pb.ts";
import { PaymentMethod } from "../../gen/paylink/pricing/v1/pricing_pb.ts";
import { ProviderKind } from "../../gen/paylink/providers/v1/providers_pb.ts";
import { RefundsService } from "../../gen/paylink/refunds/v1/refunds_pb.ts";
import { startAsaas } from "../support/asaas/asaas.ts";
import { startCollector } from "../support/collector.ts";
import { CORE_TOKEN } from "../support/core-options.ts";
import { makeDataFolder } from "../support/data-folder.ts";
import { DatabaseRows } from "../support/database-rows.ts";
import { cloneDatabase } from "../support/database.ts";
import { forFile } from "../support/for-file.ts";
import { startPagarme } from "../support/pagarme/pagarme.ts";
import { startProcess, type ServiceProcess } from "../support/process.ts";
import { CardNumbers } from "./canary-cards.ts";
import { API_KEY, CALLBACK_TOKEN, PERSON } from "./card-merchant.ts";
import { frontWithNumbers } from "./front-with-numbers.ts";
import { cardToken, KEYS } from "./pagarme-merchant.ts";
import { WatchedShop } from "./watched-shop.ts";

const POLL = { timeout: 30_000, interval: 100 };
const canaries = new CardNumbers();
const card = (place: string): string => canaries.card(place);
const answers: string[] = [];

const asaas = await startAsaas({ accounts: [{ apiKey: API_KEY }], mode: "production" });
const pagarme = await startPagarme({ accounts: [KEYS] });
const fronts = {
  asaas: await forFile(frontWithNumbers("Asaas", asaas.baseUrl, canaries)),
  pagarme: await forFile(frontWithNumbers("Pagar.me", pagarme.baseUrl, canaries)),
};
const collector = await forFile(startCollector());
const database = await cloneDatabase();
const rows = await forFile(new DatabaseRows(database.url).open());
// The two shops ask at once.
const otherRows = await forFile(new DatabaseRows(database.url).open());
let service: ServiceProcess;
let remove: () => Promise<void>;
let one: WatchedShop;
let other: WatchedShop;
beforeAll(async () => {
  for (const { clock } of [asaas, pagarme]) clock.set(new Date());
  asaas.callbacks.mode = "lost";
  const folder = await makeDataFolder();
  ({ remove } = folder);
  service = await startProcess(folder.path, {
    DATABASE_URL: database.url,
    CORE_TOKEN,
    PAYLINK_SEED: "demo",
    PROVIDER_ALLOW_LOOPBACK: "true",
    LOG_LEVEL: "trace",
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
    OTEL_BSP_SCHEDULE_DELAY: "50",
  });
  const config = { apiKey: API_KEY, callbackToken: CALLBACK_TOKEN, baseUrl: `${fronts.asaas.origin}/v3` };
  one = await WatchedShop.open({ service, rows, answers }, "asaas", config);
  const keys = { ...KEYS, isWithoutAntifraud: true, baseUrl: `${fronts.pagarme.origin}/core/v5` };
  other = await WatchedShop.open({ service, rows: otherRows, answers }, "pagarme", keys);
});
afterAll(async () => {
  await service.end("SIGKILL");
  await asaas.stop();
  await pagarme.stop();
  await remove();
});

/** Asaas calls back about a payment, with a whole number where its last digits belong. */
async function tellAsaas(reference: string): Promise<void> {
  const creditCard = { creditCardNumber: card("Asaas's callback"), creditCardToken: card("Asaas's token") };
  const payment = { id: "pay_1", externalReference: reference, description: card("callback"), creditCard };
  const event = { id: crypto.randomUUID(), event: card("event"), payment, pan: card("unknown field") };
  expect(await one.callBack(JSON.stringify(event), { "asaas-access-token": CALLBACK_TOKEN })).toBe(200);
}

/** Pagar.me calls back, signed, about an order. */
async function tellPagarme(code: string, id = "ch_1"): Promise<void> {
  const transaction = { card: { number: card("signed callback"), holder_name: card("signed holder") } };
  const data = {
    id,
    order: { code },
    last_transaction: transaction,
    metadata: { note: card("signed note") },
  };
  const body = JSON.stringify({ id: crypto.randomUUID(), type: card("signed type"), data });
  expect(await other.callBack(body, { ...pagarme.signing.headers(body) })).toBe(200);
}

async function comesTo(shop: WatchedShop, id: string, status: string): Promise<void> {
  await expect.poll(async () => await shop.status(id), POLL).toBe(status);
}

async function refundedOf(shop: WatchedShop, id: string): Promise<unknown> {
  return (await shop.get(`/v1/payments/${id}`))["refunded_amount"];
}

async function atAsaas(): Promise<void> {
  const form = { way: "card-2", ...PERSON };
  const { paymentId, reference } = await one.pay(form);
  await expect.poll(() => asaas.paymentsOf(reference), POLL).toHaveLength(2);
  const [first, second] = asaas.paymentsOf(reference).map(({ id }) => id);
  asaas.pay(first ?? "");
  await tellAsaas(reference);
  await comesTo(one, paymentId, "succeeded");

  asaas.refundRules.outcome = "CANCELLED";
  await one.post(`/v1/payments/${paymentId}/refunds`, { amount: 500 });
  asaas.fail("refundPlan", { kind: "status", status: 400 });
  await one.post(`/v1/payments/${paymentId}/refunds`, { amount: 600 });
  for (const id of [first, second]) asaas.chargeback(id ?? "");
  await tellAsaas(reference);
  const { listDisputes } = createClient(RefundsService, one.transport);
  const disputes = async () => (await listDisputes({ paymentId }, one.as)).disputes.length;
  await expect.poll(disputes, POLL).toBe(2);
  asaas.moveChargeback(first ?? "", "lost");
  for (const move of ["won", "reversed"] as const) asaas.moveChargeback(second ?? "", move);
  await tellAsaas(reference);
  await expect.poll(async () => await refundedOf(one, paymentId), POLL).toBe(50_000);
  await one.kept(listDisputes({ paymentId }, one.as));

  for (const call of ["createCustomer", "createPayment"] as const) {
    asaas.fail(call, { kind: "status", status: 400 });
    await comesTo(one, (await one.pay(form)).paymentId, "failed");
  }
  asaas.fail("createPayment", { kind: "status", status: 500 });
  await one.pay(form);
  asaas.fail("createPayment", { kind: "text", status: 200, text: `"${card("answer that is no object")}"` });
  await one.pay(form);
  asaas.fail("listWebhooks", { kind: "unauthorized" });
  await one.kept(one.providers.verifyProviderAccount({ id: one.accountId }, one.as));
  await one.kept(one.providers.verifyProviderAccount({ id: one.accountId, isRegistered: true }, one.as));
  await one.kept(one.providers.sweepProviderAccount({ id: one.accountId }, one.as));
}

async function atPagarme(): Promise<void> {
  const paid = async () => {
    const token = await cardToken(pagarme);
    const form = { way: "card-1", ...PERSON, email: "ana@example.com", card_token: token };
    return await other.pay(form);
  };
  pagarme.decide({ kind: "declined", code: "51" }, { kind: "error" });
  for (const _ of ["declined", "error"]) await comesTo(other, (await paid()).paymentId, "failed");
  pagarme.fail("createOrder", { kind: "status", status: 422 });
  await comesTo(other, (await paid()).paymentId, "failed");
  pagarme.fail("createOrder", { kind: "status", status: 500 });
  await paid();
  const { paymentId, reference } = await paid();
  await comesTo(other, paymentId, "succeeded");
  pagarme.refundRules.outcome = "refused";
  await other.post(`/v1/payments/${paymentId}/refunds`, { amount: 500 });
  pagarme.fail("cancelCharge", { kind: "status", status: 412 });
  await other.post(`/v1/payments/${paymentId}/refunds`, { amount: 600 });
  pagarme.chargeback(pagarme.ordersOf(reference)[0]?.charges[0]?.id ?? "");
  await tellPagarme(card("signed code"), card("signed id"));
  await tellPagarme(reference);
  await expect.poll(async () => await refundedOf(other, paymentId), POLL).toBe(100_000);
  pagarme.fail("listHooks", { kind: "unauthorized" });
  await other.kept(other.providers.verifyProviderAccount({ id: other.accountId }, other.as));
}

/** What internal callers send over gRPC, and are refused. */
async function overGrpc(): Promise<void> {
  const checkout = createClient(CheckoutService, one.transport);
  const links = createClient(LinksService, one.transport);
  const refunds = createClient(RefundsService, one.transport);
  const start = { linkId: "pl_1", sessionId: "cs_1", paymentMethod: PaymentMethod.CARD };
  const label = { kind: ProviderKind.CARD, profile: "asaas" };
  const calls = [
    checkout.startPayment({ ...start, cardToken: card("token over gRPC") }, one.as),
    checkout.startPayment({ ...start, payer: { name: card("name over gRPC") } }, one.as),
    checkout.startPayment({ ...start, linkId: card("link over gRPC") }, one.as),
    checkout.getCheckout({ linkId: "pl_1", sessionId: card("session over gRPC") }, one.as),
    checkout.recordReceipt(
      { reference: card("reference over gRPC"), providerPaymentId: "E1", amount: 1n },
      one.as,
    ),
    links.createPaymentLink({ amount: 500n, currency: "BRL", description: card("text over gRPC") }, one.as),
    refunds.createRefund({ id: "pay_1", reason: card("reason over gRPC") }, one.as),
    one.providers.putProviderAccount({ ...label, label: card("label over gRPC") }, one.as),
    one.providers.putProviderAccount({ ...label, asaas: { apiKey: card("key over gRPC") } }, one.as),
    one.providers.putProviderAccount({ ...label, profile: card("profile over gRPC") }, one.as),
  ];
  await Promise.all(calls.map(async (call) => await one.kept(call)));
}

test("case 15: no card number that a provider or a caller says is stored, logged, traced, answered or told to the merchant", async () => {
  await Promise.all([atAsaas(), atPagarme(), overGrpc()]);
  const events = `${await one.events()}${await other.events()}`;
  for (const type of ["payment.succeeded", "payment.returned", "payment.failed", "refund.failed"])
    expect(events).toContain(type);
  for (const shop of [one, other]) await shop.get("/v1/payments?from=2020-01-01&to=2099-12-31");

  // All of it was said.
  const fields = [...fronts.asaas.fields(), ...fronts.pagarme.fields()];
  expect(fields).toEqual(
    expect.arrayContaining(["error code", "error", "reason", "acquirer_return_code", "transaction's status"]),
  );
  const metrics = await (await fetch(`http://127.0.0.1:${service.env["METRICS_PORT"]}/metrics`)).text();
  await service.end("SIGTERM");
  const sent = [...asaas.requests, ...pagarme.requests]
    .filter(({ call }) => call !== "createToken")
    .map(({ path, query, headers, text }) => [path, query, headers, text]);
  const stored: string[] = [];
  for (const schema of ["live", "test", "identity"] as const) stored.push(await rows.texts(schema));
  expect(collector.text()).toContain("ProvidersService/TakeCallback");
  expect(service.output()).toContain('"msg":"a card was not answered for"');
  expect({
    answered: canaries.foundIn(answers.join("\n")),
    sent: canaries.foundIn(JSON.stringify(sent)),
    told: canaries.foundIn(events),
    logged: canaries.foundIn(service.output()),
    traced: canaries.foundIn(collector.text()),
    measured: canaries.foundIn(metrics),
    stored: canaries.foundIn(stored.join("\n")),
  }).toEqual({ answered: [], sent: [], told: [], logged: [], traced: [], measured: [], stored: [] });
}, 120_000);
