import { describe, expect, test } from "vitest";
import { DatabaseRows } from "../support/database-rows.ts";
import { forFile } from "../support/for-file.ts";
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

  test("that is under way succeeds when Pagar.me has done it, also after days", async () => {
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
