import { expect, test } from "vitest";
import { forFile } from "../support/for-file.ts";
import { CALLBACK_TOKEN, connectCards, startCards } from "./card-merchant.ts";

const cards = await forFile(startCards());
const { asaas, service } = cards;
const merchant = await connectCards(cards);
const { answerCallbacks } = service.core.tasks;

// Each event of a charge that the provider's guide names, with the status that its payment has then.
const EVENTS = {
  PAYMENT_CREATED: "PENDING",
  PAYMENT_AWAITING_RISK_ANALYSIS: "AWAITING_RISK_ANALYSIS",
  PAYMENT_APPROVED_BY_RISK_ANALYSIS: "CONFIRMED",
  PAYMENT_REPROVED_BY_RISK_ANALYSIS: "PENDING",
  PAYMENT_AUTHORIZED: "AUTHORIZED",
  PAYMENT_UPDATED: "PENDING",
  PAYMENT_CONFIRMED: "CONFIRMED",
  PAYMENT_RECEIVED: "RECEIVED",
  PAYMENT_CREDIT_CARD_CAPTURE_REFUSED: "PENDING",
  PAYMENT_ANTICIPATED: "RECEIVED",
  PAYMENT_OVERDUE: "OVERDUE",
  PAYMENT_DELETED: "PENDING",
  PAYMENT_RESTORED: "PENDING",
  PAYMENT_REFUNDED: "REFUNDED",
  PAYMENT_PARTIALLY_REFUNDED: "RECEIVED",
  PAYMENT_REFUND_IN_PROGRESS: "REFUND_IN_PROGRESS",
  PAYMENT_REFUND_DENIED: "CONFIRMED",
  PAYMENT_RECEIVED_IN_CASH_UNDONE: "PENDING",
  PAYMENT_CHARGEBACK_REQUESTED: "CHARGEBACK_REQUESTED",
  PAYMENT_CHARGEBACK_DISPUTE: "CHARGEBACK_DISPUTE",
  PAYMENT_AWAITING_CHARGEBACK_REVERSAL: "AWAITING_CHARGEBACK_REVERSAL",
  PAYMENT_DUNNING_RECEIVED: "DUNNING_RECEIVED",
  PAYMENT_DUNNING_REQUESTED: "DUNNING_REQUESTED",
  PAYMENT_BANK_SLIP_VIEWED: "PENDING",
  PAYMENT_CHECKOUT_VIEWED: "PENDING",
  PAYMENT_SPLIT_CANCELLED: "CONFIRMED",
  PAYMENT_EVENT_OF_A_LATER_YEAR: "STATUS_OF_A_LATER_YEAR",
};
let number = 0;

/** Posts an event in the form of the guide, which says of the payment what is not so. */
async function tell(event: string, status: string, reference: string): Promise<number> {
  const { id, plan, customerId } = asaas.payment(asaas.paymentsOf(reference)[0]?.id ?? "");
  const payment = {
    object: "payment",
    id,
    dateCreated: "2026-01-01",
    customer: customerId,
    installment: plan?.id ?? null,
    subscription: null,
    paymentLink: null,
    dueDate: "2026-01-10",
    originalDueDate: "2026-01-10",
    value: 0.01,
    netValue: 0.01,
    originalValue: null,
    interestValue: null,
    description: "Pedido",
    externalReference: reference,
    billingType: "CREDIT_CARD",
    status,
    pixTransaction: null,
    confirmedDate: "2026-01-02",
    paymentDate: "2026-01-02",
    clientPaymentDate: "2026-01-02",
    creditDate: "2026-02-02",
    estimatedCreditDate: "2026-02-02",
    deleted: event === "PAYMENT_DELETED",
    anticipated: event === "PAYMENT_ANTICIPATED",
    creditCard: {
      creditCardNumber: "8829",
      creditCardBrand: "MASTERCARD",
      creditCardToken: crypto.randomUUID(),
    },
    discount: { value: 0, limitDate: null, dueDateLimitDays: 0, type: "FIXED" },
    fine: { value: 0, type: "FIXED" },
    interest: { value: 0, type: "PERCENTAGE" },
    split: [{ walletId: crypto.randomUUID(), fixedValue: 0.01, status: "PENDING" }],
    chargeback: event.includes("CHARGEBACK") ? { status: "DISPUTE_LOST", reason: "FRAUD" } : null,
    refunds: event.includes("REFUND")
      ? [{ status: "DONE", value: 0.01, dateCreated: "2026-01-03 10:00:00" }]
      : null,
  };
  const body = {
    id: `evt_${crypto.randomUUID()}&${++number}`,
    event,
    dateCreated: "2026-01-02 10:00:00",
    payment,
  };
  return await post(body);
}

async function post(body: object): Promise<number> {
  const headers = { "asaas-access-token": CALLBACK_TOKEN };
  const payload = JSON.stringify(body);
  return (await service.gateway.inject({ method: "POST", url: merchant.path, headers, payload })).statusCode;
}

test.each([1, 3])(
  "every documented event about a charge in %i is taken with 200, and the payment is what Asaas says when it is asked",
  async (installments) => {
    const { paymentId, reference } = await merchant.start(installments);
    const tellAll = async (): Promise<void> => {
      for (const [event, status] of Object.entries(EVENTS)) {
        expect([event, await tell(event, status, reference)]).toEqual([event, 200]);
        await answerCallbacks();
      }
    };
    await tellAll();
    expect(await merchant.read(paymentId)).toMatchObject({ status: "processing" });
    asaas.pay(asaas.paymentsOf(reference)[0]?.id ?? "");
    await tellAll();
    expect(await merchant.read(paymentId)).toMatchObject({ status: "succeeded", amount: 100_000 });
    expect((await merchant.read(paymentId))["refunded_amount"] ?? 0).toBe(0);
  },
);

test("an event of something else than a charge is taken with 200, and asks nothing", async () => {
  const before = asaas.requests.length;
  const common = { dateCreated: "2026-01-02 10:00:00", account: { id: crypto.randomUUID(), ownerId: null } };
  for (const [event, subject] of [
    ["CHECKOUT_PAID", { checkout: { id: crypto.randomUUID(), status: "PAID", externalReference: "pay1" } }],
    ["TRANSFER_DONE", { transfer: { id: "tra_1", value: 10 } }],
    ["SUBSCRIPTION_CREATED", { subscription: { id: "sub_1", externalReference: null } }],
    ["INVOICE_AUTHORIZED", { invoice: { id: "inv_1", payment: "pay_1" } }],
  ] as const) {
    const id = `evt_${crypto.randomUUID()}&${++number}`;
    expect([event, await post({ id, event, ...common, ...subject })]).toEqual([event, 200]);
  }
  await answerCallbacks();
  expect(asaas.requests).toHaveLength(before);
});
