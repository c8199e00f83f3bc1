import { describe, expect, test } from "vitest";
import { Mode } from "../../gen/paylink/identity/v1/identity_pb.ts";
import { checkLedger } from "../ledger/book-keeper.ts";
import { forFile } from "../support/for-file.ts";
import { secondService } from "../support/service.ts";
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

async function refundsChecked(seconds = 60, tasks = [service.core.tasks]): Promise<void> {
  service.clock.advance(seconds);
  asaas.clock.advance(seconds);
  await Promise.all(tasks.map(async ({ checkRefunds }) => await checkRefunds()));
}

const refundsOf = async (id: string): Promise<string[]> =>
  (
    (await merchant.api.get(`/v1/payments/${id}/refunds`)).body.data as { amount: number; status: string }[]
  ).map(({ amount, status }) => `${amount} ${status}`);
const eventsOf = async (id: string): Promise<unknown[]> =>
  (await rows.read("SELECT type FROM live.event WHERE object_id = $1 ORDER BY id", [id])).map(
    ({ type }) => type,
  );
const requestsFor = (reference: string): number => {
  const { id, plan } = asaas.payment(firstOf(reference));
  return asaas.requests.filter(({ path }) => path.endsWith(`/${plan?.id ?? id}/refund`)).length;
};
const expectClean = async () => expect((await checkLedger(service, Mode.LIVE)).problems).toEqual([]);

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

const goneOf = async (id: string): Promise<unknown> => (await merchant.read(id))["refunded_amount"] ?? 0;
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

  test("that Asaas carries out after our wait is asked for once, by any process, and then found", async () => {
    const { id, reference } = await paid();
    let carryOut = (): void => undefined;
    asaas.fail("refundPayment", { kind: "late", hold: (late) => (carryOut = late) });
    await refund(id, { amount: 40_000 });
    service.faults.splice(0);
    const other = await secondService(service, { allowLoopbackProviders: true });
    for (const seconds of [15, 30, 30, 60, 60]) {
      await refundsChecked(seconds, [service.core.tasks, other.core.tasks]);
    }
    await other.close();
    expect([requestsFor(reference), await refundsOf(id)]).toEqual([1, ["40000 requested"]]);
    carryOut();
    await refundsChecked(600);
    expect([gone(reference), await goneOf(id)]).toEqual([40_000n, 40_000]);
    expect(await refundsOf(id)).toEqual(["40000 succeeded"]);
  });

  test("that Asaas does not have after a while is reported, not asked for again, and holds its amount", async () => {
    const { id, reference } = await paid();
    asaas.fail("refundPayment", { kind: "cut" });
    const { body } = await refund(id, { amount: 40_000 });
    await refundsChecked(500);
    service.faults.splice(0);
    for (const seconds of [300, 3600, 86_400]) await refundsChecked(seconds);
    const report = { mode: "live", payment_id: id, refund_id: body.id };
    expect(service.faults.splice(0)).toEqual([report, report, report]);
    expect(requestsFor(reference)).toBe(1);
    expect((await refund(id, { amount: 60_001 })).status).toBe(400);
    expect(await refundsOf(id)).toEqual(["40000 requested"]);
  });

  test("that was certainly not carried out is asked for again", async () => {
    const { id, reference } = await paid();
    asaas.fail("refundPayment", { kind: "busy", retryAfter: null });
    await refund(id);
    service.faults.splice(0);
    await refundsChecked();
    expect([requestsFor(reference), await refundsOf(id)]).toEqual([2, ["100000 succeeded"]]);
  });

  test("that Asaas refuses fails after two minutes, is asked for once, and frees its amount", async () => {
    const { id, reference } = await paid();
    asaas.fail("refundPayment", { kind: "text", status: 400, text: "{}" });
    await refund(id);
    for (let count = 0; count < 4; count++) await refundsChecked();
    expect([requestsFor(reference), await refundsOf(id)]).toEqual([1, ["100000 failed"]]);
    await refund(id);
    expect(await refundsOf(id)).toEqual(["100000 succeeded", "100000 failed"]);
  });

  test("of a plan that is denied for one installment books what left, and frees the rest", async () => {
    const { id, reference } = await paid(3);
    asaas.refundRules.outcome = "PENDING";
    await refund(id);
    asaas.refundRules.outcome = "DONE";
    const [denied, ...others] = asaas.paymentsOf(reference);
    asaas.endRefunds(denied?.id ?? "", "CANCELLED");
    await refundsChecked();
    expect(await refundsOf(id)).toEqual(["100000 processing"]);
    for (const other of others) asaas.endRefunds(other.id, "DONE");
    await refundsChecked();
    const left = Number(others.reduce((sum, { valueMinor }) => sum + valueMinor, 0n));
    expect([await goneOf(id), await refundsOf(id)]).toEqual([left, [`${left} succeeded`]]);
    await expectClean();
    await tell(reference);
    expect(await eventsOf(id)).toEqual(["payment.succeeded", "refund.succeeded"]);
    expect((await refund(id)).body).toMatchObject({ amount: 100_000 - left, status: "succeeded" });
    expect(await goneOf(id)).toBe(100_000);
    await expectClean();
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

  /** Refunds an amount, and then loses chargebacks of amounts of the installments. */
  async function lost(
    values: readonly bigint[],
    { refunded = 0, id = undefined as string | undefined } = {},
  ) {
    const payment = await paid(values.length);
    if (refunded > 0) await refund(payment.id, { amount: refunded });
    for (const [index, valueMinor] of values.entries()) {
      const { id: part = "" } = asaas.paymentsOf(payment.reference)[index] ?? {};
      asaas.chargeback(part, { valueMinor, ...(id === undefined ? {} : { id }) });
    }
    await tell(payment.reference);
    for (const { id: part } of asaas.paymentsOf(payment.reference)) asaas.moveChargeback(part, "lost");
    await tell(payment.reference);
    return payment;
  }

  test.each<[string, number, bigint, number]>([
    ["of a part", 0, 30_000n, 30_000],
    ["of what a refund left", 40_000, 60_000n, 100_000],
  ])("%s is booked with its own value", async (_name, refunded, valueMinor, expected) => {
    const { id } = await lost([valueMinor], { refunded });
    expect(await goneOf(id)).toBe(expected);
    await expectClean();
  });

  test("of more than a refund left is booked up to what is left, and the rest is reported once", async () => {
    const { id, reference } = await lost([100_000n], { refunded: 40_000 });
    await tell(reference);
    expect(service.faults.splice(0)).toMatchObject([{ mode: "live", payment_id: id }]);
    expect(await goneOf(id)).toBe(100_000);
    const sql =
      "SELECT amount_minor, unbooked_minor FROM live.refund WHERE payment_id = $1 AND origin = 'provider'";
    expect(await rows.read(sql, [id])).toEqual([{ amount_minor: "60000", unbooked_minor: "40000" }]);
    await expectClean();
  });

  test("that is lost after a refund which was under way at its start is booked up to what is left", async () => {
    const { id, reference } = await paid();
    asaas.refundRules.outcome = "PENDING";
    await refund(id, { amount: 40_000 });
    asaas.refundRules.outcome = "DONE";
    asaas.chargeback(firstOf(reference));
    await tell(reference);
    asaas.endRefunds(firstOf(reference), "DONE");
    asaas.moveChargeback(firstOf(reference), "lost");
    await tell(reference);
    expect(service.faults.splice(0)).toMatchObject([{ payment_id: id }]);
    expect(await goneOf(id)).toBe(100_000);
    expect(
      (await rows.read("SELECT refund_reserved_minor AS minor FROM live.payment WHERE id = $1", [id]))[0],
    ).toEqual({ minor: "100000" });
    await expectClean();
  });

  test.each([
    ["its installments' values", [33_333n, 33_333n, 33_334n]],
    ["the plan's value", [100_000n, 100_000n, 100_000n]],
  ])("under one id on all installments with %s is booked whole", async (_name, values) => {
    const { id } = await lost(values, { id: crypto.randomUUID() });
    expect(await goneOf(id)).toBe(100_000);
    await expectClean();
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
