import { describe, expect, test } from "vitest";
import { DatabaseRows } from "../support/database-rows.ts";
import { forFile } from "../support/for-file.ts";
import type { CallName } from "../support/pagarme/routes.ts";
import {
  callBack,
  cardToken,
  connectPagarme,
  pass,
  referenceOf,
  startPagarmeService,
} from "./pagarme-merchant.ts";

const cards = await forFile(startPagarmeService());
const { pagarme, service } = cards;
const merchant = await connectPagarme(cards);
const rows = await forFile(new DatabaseRows(service.databaseUrl).open());

const HOUR = 3600;
const chargeOf = (id: string) => pagarme.ordersOf(referenceOf(id))[0]?.charges[0]?.id ?? "";
const paid = async (installments = 1): Promise<string> =>
  await merchant.paid(await merchant.opened(), installments);
const refund = async (id: string, body: object = {}) =>
  (await merchant.api.post(`/v1/payments/${id}/refunds`, body)).status;
const gone = (id: string): bigint => pagarme.charge(chargeOf(id)).canceledMinor;
const goneOf = async (id: string) => (await merchant.read(id))["refunded_amount"] ?? 0;
const askedCount = () => pagarme.requests.filter(({ call }) => call === "cancelCharge").length;

async function checked(seconds = 20): Promise<void> {
  service.clock.advance(seconds);
  pagarme.clock.advance(seconds);
  await service.core.tasks.checkRefunds();
}

/** A refund at Pagar.me's own page. */
async function refundThere(id: string, amount: number): Promise<void> {
  const authorization = `Basic ${Buffer.from(`${pagarme.account().secretKey}:`).toString("base64")}`;
  await fetch(`${pagarme.baseUrl}/charges/${chargeOf(id)}`, {
    method: "DELETE",
    headers: { authorization },
    body: JSON.stringify({ amount }),
  });
}

const tell = async (id: string): Promise<void> => await callBack(cards, merchant, id);

const returned = async (id: string) =>
  await rows.read(
    `SELECT (told->>'amount')::int AS amount, told->>'reason' AS reason FROM live.event,
      LATERAL (SELECT convert_from(body, 'UTF8')::json->'data'->'return' AS told) AS data
      WHERE type = 'payment.returned' AND object_id = $1 ORDER BY 1`,
    [id],
  );

describe("a refund at Pagar.me", () => {
  test("goes back in part and then whole, to the centavo, and is no return by Pagar.me", async () => {
    const id = await paid(3);
    expect(await refund(id, { amount: 40_001 })).toBe(201);
    expect(gone(id)).toBe(40_001n);
    expect(await refund(id)).toBe(201);
    await checked();
    const { refunded_amount: refunded, amount } = await merchant.read(id);
    expect(refunded).toBe(amount);
    await tell(id);
    expect(await goneOf(id)).toBe(amount);
    expect(await returned(id)).toEqual([]);
  });

  test("whose answer is lost is made once, and two of one amount are two", async () => {
    const id = await paid();
    pagarme.fail("cancelCharge", { kind: "lost" });
    await refund(id, { amount: 500 });
    await refund(id, { amount: 500 });
    service.faults.splice(0);
    for (let count = 0; count < 3; count++) await checked();
    expect(gone(id)).toBe(1000n);
    expect(await goneOf(id)).toBe(1000);
    await tell(id);
    expect(await returned(id)).toEqual([]);
  });

  test("that is under way succeeds when Pagar.me has done it, also after its key has ended", async () => {
    for (const hours of [1, 30]) {
      const id = await paid();
      pagarme.refundRules.outcome = "pending";
      await refund(id, { amount: 700 });
      pagarme.refundRules.outcome = "done";
      await checked();
      expect(await goneOf(id)).toBe(0);
      pagarme.endRefund(chargeOf(id), true);
      await checked(hours * HOUR);
      expect(await goneOf(id)).toBe(700);
      expect(gone(id)).toBe(700n);
    }
  });

  test("that Pagar.me refuses fails and frees its amount", async () => {
    const id = await paid();
    pagarme.refundRules.outcome = "refused";
    await refund(id, { amount: 700 });
    pagarme.refundRules.outcome = "done";
    await checked();
    expect([await goneOf(id), gone(id)]).toEqual([0, 0n]);
    const whole = Number((await merchant.read(id))["amount"]);
    expect(await refund(id, { amount: whole })).toBe(201);
    await checked();
    expect(await goneOf(id)).toBe(whole);
  });

  test("that never arrived is not asked for after its key has ended, and fails", async () => {
    const id = await paid();
    pagarme.fail("cancelCharge", { kind: "cut" });
    await refund(id, { amount: 700 });
    service.faults.splice(0);
    const before = askedCount();
    for (const seconds of [24 * HOUR, HOUR, HOUR, HOUR, HOUR]) await checked(seconds);
    expect(askedCount()).toBe(before);
    expect([await goneOf(id), gone(id)]).toEqual([0, 0n]);
    expect(await refund(id)).toBe(201);
  });
});

describe("a refund whose fate a refusal hides", () => {
  test.each<[string, CallName, number, number]>([
    ["a repeat is refused once", "cancelCharge", 412, 1],
    ["its key is in use for a while", "cancelCharge", 409, 5],
    ["its transactions are refused for a while", "listTransactions", 400, 5],
  ])("is made once and succeeds: %s", async (_name, call, status, times) => {
    const id = await paid();
    pagarme.fail("cancelCharge", { kind: "lost" });
    await refund(id, { amount: 500 });
    pagarme.fail(call, { kind: "status", status }, times);
    const before = askedCount();
    for (let count = 0; count < times; count++) await checked(60 * 2 ** count).catch(() => undefined);
    await checked(60 * 2 ** times);
    expect(askedCount() - before).toBe(times + 1);
    service.faults.splice(0);
    expect(gone(id)).toBe(500n);
    expect(await goneOf(id)).toBe(500);
  });

  test("fails when Pagar.me refuses its key again and again, and frees its amount", async () => {
    const id = await paid();
    const before = askedCount();
    pagarme.fail("cancelCharge", { kind: "status", status: 412 }, 4);
    await refund(id, { amount: 500 });
    for (let count = 0; count < 5; count++) await checked(60);
    expect(askedCount() - before).toBe(4);
    expect([await goneOf(id), gone(id)]).toEqual([0, 0n]);
    expect(await refund(id)).toBe(201);
  });

  test("is found after its key has ended, though Pagar.me's clock is behind ours", async () => {
    const id = await paid();
    pagarme.clock.advance(-250);
    pagarme.fail("cancelCharge", { kind: "lost" });
    await refund(id, { amount: 500 });
    service.faults.splice(0);
    for (const seconds of [24 * HOUR, HOUR, HOUR, HOUR]) await checked(seconds);
    pagarme.clock.advance(250);
    expect([await goneOf(id), gone(id)]).toEqual([500, 500n]);
  });
});

describe("money that goes back without us", () => {
  test("by a refund at Pagar.me's own page is a return, beside one of ours", async () => {
    const id = await paid();
    await refund(id, { amount: 500 });
    for (const amount of [500, 900]) await refundThere(id, amount);
    await tell(id);
    await tell(id);
    expect(await goneOf(id)).toBe(1900);
    expect(await returned(id)).toEqual([
      { amount: 500, reason: null },
      { amount: 900, reason: null },
    ]);
  });

  test("by more refunds than a page of Pagar.me's list has is told whole, and each once", async () => {
    const id = await paid();
    for (let count = 0; count < 31; count++) await refundThere(id, 100 + count);
    await tell(id);
    // The worker does not wait for what takes longer than five seconds.
    await expect.poll(async () => BigInt(Number(await goneOf(id))), { timeout: 60_000 }).toBe(gone(id));
    expect(await returned(id)).toHaveLength(31);
  });

  test("case 14: by a chargeback of one of 3 installments is a return with its reason", async () => {
    const id = await paid(3);
    pagarme.chargeback(chargeOf(id), 1);
    await tell(id);
    const part = pagarme
      .account()
      .payables.find(({ charge, type }) => charge.id === chargeOf(id) && type === "chargeback");
    const amount = Number(-(part?.amountMinor ?? 0n));
    expect(await returned(id)).toEqual([{ amount, reason: "chargeback" }]);
    expect(await merchant.read(id)).toMatchObject({ status: "succeeded", refunded_amount: amount });
  });

  test("by a chargeback that was won before it was seen is none", async () => {
    const id = await paid(3);
    pagarme.chargeback(chargeOf(id), 1);
    pagarme.reverseChargeback(chargeOf(id));
    await tell(id);
    expect(await goneOf(id)).toBe(0);
    await refund(id, { amount: 500 });
    await tell(id);
    expect(await goneOf(id)).toBe(500);
    expect(await returned(id)).toEqual([]);
  });

  test("after a payment that failed here is an exception's", async () => {
    pagarme.fail("createOrder", { kind: "lost" });
    const payer = await merchant.opened();
    const id = await merchant.paid(payer, 1, await cardToken(pagarme));
    service.faults.splice(0);
    pagarme.hide(referenceOf(id), 900);
    for (const seconds of [31, 60, 60, 60]) await pass(cards, seconds);
    await pass(cards, HOUR);
    expect((await payer.session()).payment?.hasException).toBe(true);
    pagarme.chargeback(chargeOf(id));
    await tell(id);
    expect(await merchant.read(id)).toMatchObject({ status: "failed" });
    expect(await returned(id)).toEqual([]);
  });
});
