/** A shop that sells one pair of shoes, from the price to the close of the day. Runs with a key of test mode. */
import { once, EventEmitter } from "node:events";
import { createPaylink, type Paylink } from "@paylink/sdk";
import { bankingDay, closeDay } from "./close-day.ts";
import { Orders } from "./orders.ts";
import { startReceiver } from "./receiver.ts";

const WEBHOOK_SECONDS_MAX = Number(process.env["WEBHOOK_SECONDS_MAX"] || 30);

try {
  await sell();
} catch (error) {
  console.error(`merchant: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
}

async function sell(): Promise<void> {
  const baseUrl = process.env["PAYLINK_URL"] || "http://localhost:8080";
  const paylink = createPaylink({ baseUrl, key: needed("KEY") });
  const orders = new Orders();
  const paid = new EventEmitter<{ paid: [reference: string] }>();
  const port = Number(process.env["SHOP_PORT"] || 3000);
  const receiver = await startReceiver(port, needed("WEBHOOK_SECRET"), (event) => {
    if (event.type !== "payment.succeeded" || event.reference === null) return;
    const { id, reference, data } = event;
    // The second time that an event comes, it changes nothing and is answered 200 all the same.
    if (orders.markPaid(id, reference, data.payment.id)) paid.emit("paid", reference);
  });
  try {
    await sellOne(paylink, orders, paid);
    await close(paylink, orders);
  } finally {
    receiver.close();
  }
}

async function sellOne(
  paylink: Paylink,
  orders: Orders,
  paid: EventEmitter<{ paid: [reference: string] }>,
): Promise<void> {
  // The shop's own number is known before anything is asked for: every key below derives from it.
  const reference = `order-${crypto.randomUUID()}`;
  const wanted = { amount: 15_990, currency: "BRL", payment_method: "pix" } as const;
  const quote = await paylink.createQuote(wanted, { idempotencyKey: `quote-${reference}` });
  if ("scenarios" in quote) throw new Error("a quote of one method was asked for");
  console.log(`quote     ${quote.id}: the payer pays ${money(quote.payer_total, quote.payer_currency)},`);
  console.log(`          the shop gets ${money(quote.receiver_net, quote.receiver_currency)}`);

  const accepted = { id: quote.id, name: "Running shoes", reference };
  const link = await paylink.acceptQuote(accepted, { idempotencyKey: `accept-${reference}` });
  orders.add({ reference, total: quote.payer_total, currency: quote.payer_currency, paymentId: undefined });
  console.log(`link      ${link.checkout_url}`);

  // In test mode the shop plays the payer, who would open the link. The listening begins before the payment does.
  const received = once(paid, "paid", { signal: AbortSignal.timeout(WEBHOOK_SECONDS_MAX * 1000) }).catch(
    () => {
      throw new Error(`no webhook came in ${WEBHOOK_SECONDS_MAX} s: does an endpoint lead here?`);
    },
  );
  const simulated = { id: link.id, outcome: "succeeded" } as const;
  await Promise.all([paylink.simulatePayment(simulated, { idempotencyKey: `pay-${reference}` }), received]);
  const paymentId = orders.find(reference)?.paymentId ?? "";
  console.log(`webhook   payment.succeeded, ${paymentId}`);

  // The Payment, read back, is the source of truth.
  const payment = await paylink.getPayment({ id: paymentId });
  const { gross_amount: gross, gross_currency: currency, status } = payment;
  if (gross !== quote.payer_total) throw new Error(`${paymentId} differs from the quote`);
  console.log(`payment   ${payment.id}: ${status}, ${money(gross, currency)}`);
}

async function close(paylink: Paylink, orders: Orders): Promise<void> {
  const day = bankingDay(new Date());
  const { payments, sums, differences } = await closeDay(paylink, day, orders.all());
  console.log(`day       ${day}: ${payments} succeeded`);
  for (const [currency, { gross, net, refunded }] of Object.entries(sums)) {
    const back = refunded === 0 ? "" : `, of which ${money(refunded, currency)} went back`;
    console.log(`          paid ${money(gross, currency)}${back}, net ${money(net, currency)}`);
  }
  if (differences.length > 0) throw new Error(`the day does not close: ${differences.join("; ")}`);
  console.log("          every order of this shop is found, at its price");
}

function money(amount: number, currency: string): string {
  return `${(amount / 100).toFixed(2)} ${currency}`;
}

function needed(name: string): string {
  const value = process.env[name];
  if (!value) throw new Error(`${name} must be set; see examples/README.md.`);
  return value;
}
