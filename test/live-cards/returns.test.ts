import { describe, expect, test } from "vitest";
import { forFile } from "../support/for-file.ts";
import { DatabaseRows } from "../support/database-rows.ts";
import { CALLBACK_TOKEN, connectCards, pass, startCards } from "./card-merchant.ts";

const cards = await forFile(startCards());
const { asaas, service } = cards;
const merchant = await connectCards(cards);
const rows = await forFile(new DatabaseRows(service.databaseUrl).open());
const firstOf = (reference: string): string => asaas.paymentsOf(reference)[0]?.id ?? "";

async function paid(installments = 1): Promise<{ id: string; reference: string }> {
  const { paymentId: id, reference } = await merchant.start(installments);
  asaas.pay(firstOf(reference));
  await pass(cards, 31);
  expect((await merchant.read(id))["status"]).toBe("succeeded");
  return { id, reference };
}

const refund = async (id: string, body: object = {}) =>
  await merchant.api.post(`/v1/payments/${id}/refunds`, body);

async function refundsChecked(): Promise<void> {
  service.clock.advance(20);
  asaas.clock.advance(20);
  await service.core.tasks.checkRefunds();
}

/** Asaas tells of a payment: the service then asks about it. */
async function tell(reference: string): Promise<void> {
  const payload = JSON.stringify({
    id: crypto.randomUUID(),
    payment: { id: "pay_1", externalReference: reference },
  });
  const headers = { "asaas-access-token": CALLBACK_TOKEN };
  await service.gateway.inject({ method: "POST", url: merchant.path, headers, payload });
  await service.core.tasks.answerCallbacks();
}

const goneOf = async (id: string) => (await merchant.read(id))["refunded_amount"] ?? 0;
const gone = (reference: string): bigint =>
  asaas
    .paymentsOf(reference)
    .flatMap(({ refunds }) => refunds)
    .reduce((sum, { valueMinor }) => sum + valueMinor, 0n);

describe("a refund of a card", () => {
  test("of a plan goes back in part and then whole, to the centavo", async () => {
    const { id, reference } = await paid(3);
    expect((await refund(id, { amount: 40_001 })).status).toBe(201);
    await refundsChecked();
    expect(gone(reference)).toBe(40_001n);
    expect((await refund(id)).status).toBe(201);
    await refundsChecked();
    const { refunded_amount: refunded, amount } = await merchant.read(id);
    expect(refunded).toBe(amount);
    expect(gone(reference)).toBe(BigInt(Number(amount)));
  });

  test("whose answer is lost is made once", async () => {
    const { id, reference } = await paid();
    asaas.fail("refundPayment", { kind: "lost" });
    await refund(id, { amount: 500 });
    service.faults.splice(0);
    for (let count = 0; count < 3; count++) await refundsChecked();
    expect(gone(reference)).toBe(500n);
    expect(await merchant.read(id)).toMatchObject({ refunded_amount: 500 });
  });
});

describe("case 14: a chargeback", () => {
  const returned = async (id: string) =>
    await rows.read(
      "SELECT convert_from(body, 'UTF8')::json->'data'->'return'->>'reason' AS reason FROM live.event WHERE type = 'payment.returned' AND object_id = $1",
      [id],
    );

  test("of one installment that is lost is money returned, with its reason", async () => {
    const { id, reference } = await paid(3);
    asaas.chargeback(firstOf(reference));
    await tell(reference);
    expect(await goneOf(id)).toBe(0);
    asaas.moveChargeback(firstOf(reference), "lost");
    await tell(reference);
    const part = asaas.payment(firstOf(reference)).valueMinor;
    expect(await merchant.read(id)).toMatchObject({ refunded_amount: Number(part) });
    expect(await returned(id)).toEqual([{ reason: "chargeback" }]);
  });

  test("that the merchant wins returns nothing", async () => {
    const { id, reference } = await paid();
    asaas.chargeback(firstOf(reference));
    await tell(reference);
    for (const move of ["disputed", "won", "reversed"] as const) {
      asaas.moveChargeback(firstOf(reference), move);
      await tell(reference);
    }
    expect(await goneOf(id)).toBe(0);
    expect(await returned(id)).toEqual([]);
  });
});
