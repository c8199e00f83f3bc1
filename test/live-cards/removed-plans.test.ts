import { createClient } from "@connectrpc/connect";
import { expect, test } from "vitest";
import { CheckoutService } from "../../gen/paylink/checkout/v1/checkout_pb.ts";
import { newId } from "../../contract/ids.ts";
import { RefundsService } from "../../gen/paylink/refunds/v1/refunds_pb.ts";
import { forFile } from "../support/for-file.ts";
import { CALLBACK_TOKEN, connectCards, pass, startCards } from "./card-merchant.ts";

const HOUR = 3600;
const cards = await forFile(startCards());
const { asaas, service } = cards;
const merchant = await connectCards(cards);
const checkout = createClient(CheckoutService, service.core.transport);
const refunds = createClient(RefundsService, service.core.transport);

/** Starts a plan of three that its session's end removes: its payer still has the page. Returns its first payment's id. */
async function removed() {
  const { paymentId, reference } = await merchant.start(3);
  await pass(cards, 961);
  const payments = asaas.paymentsOf(reference);
  expect(payments.map(({ isDeleted }) => isDeleted)).toEqual([true, true, true]);
  return { paymentId, reference, id: payments[0]?.id ?? "" };
}

const exceptionsOf = async (paymentId: string) =>
  (await checkout.listPaymentExceptions({ paymentId }, merchant.as)).exceptions;

async function callBack(reference: string, id: string): Promise<void> {
  const payload = JSON.stringify({ id: crypto.randomUUID(), payment: { id, externalReference: reference } });
  const headers = { "asaas-access-token": CALLBACK_TOKEN };
  await service.gateway.inject({ method: "POST", url: merchant.path, headers, payload });
  await service.core.tasks.answerCallbacks();
}

test("money of a removed twin whose page became the payer's is found", async () => {
  asaas.fail("createPayment", { kind: "twice" });
  const { paymentId, reference, challengeUrl, payer } = await merchant.start();
  const isShown = (id: string, url = ""): boolean => url.endsWith(id.slice("pay_".length));
  const ids = asaas.paymentsOf(reference).map(({ id }) => id);
  const twin = ids.find((id) => !isShown(id, challengeUrl)) ?? "";
  asaas.hide(ids.find((id) => id !== twin) ?? "", 100 * HOUR);
  await pass(cards, 31);
  expect(isShown(twin, (await payer.session()).payment?.challengeUrl)).toBe(true);
  await pass(cards, 961);
  asaas.pay(twin);
  await callBack(reference, twin);
  expect(await exceptionsOf(paymentId)).toMatchObject([{ amount: 100_000n }]);
});

test.each([
  ["its callback", async (reference: string, id: string) => await callBack(reference, id)],
  ["the next look without a callback", async () => await pass(cards, 12 * HOUR)],
])("money of a plan that was removed is found by %s, and given back whole", async (_way, find) => {
  const { paymentId, reference, id } = await removed();
  asaas.pay(id, { confirmed: 2 });
  await callBack(reference, id);
  expect(await exceptionsOf(paymentId)).toEqual([]);
  asaas.confirmRest(id);
  await find(reference, id);
  const [exception] = await exceptionsOf(paymentId);
  expect(exception).toMatchObject({ amount: 100_000n, proposedRefund: 100_000n });
  expect((await merchant.read(paymentId))["status"]).toBe("failed");
  const headers = { ...merchant.as.headers, "idempotency-key": newId("req") };
  await refunds.refundException({ id: exception?.id ?? "" }, { headers });
  service.clock.advance(20);
  await service.core.tasks.checkRefunds();
  for (const again of [1, 2]) await pass(cards, again * HOUR);
  const parts = asaas.paymentsOf(reference).flatMap((payment) => payment.refunds);
  expect(parts.reduce((sum, { valueMinor }) => sum + valueMinor, 0n)).toBe(100_000n);
  expect(await exceptionsOf(paymentId)).toHaveLength(1);
});
