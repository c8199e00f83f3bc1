import { describe, expect, test } from "vitest";
import { newId } from "../../contract/ids.ts";
import { forFile } from "../support/for-file.ts";
import { secondService } from "../support/service.ts";
import { DatabaseRows } from "../support/database-rows.ts";
import { connectCards, startCards } from "./card-merchant.ts";
import { MoneyBack } from "./money-back.ts";

const cards = await forFile(startCards());
const { asaas, service } = cards;
const merchant = await connectCards(cards);
const rows = await forFile(new DatabaseRows(service.databaseUrl).open());
const money = new MoneyBack(cards, merchant, rows);

describe("a refund of a card", () => {
  test("of a plan goes back in part and then whole, to the centavo", async () => {
    const { id, reference } = await money.paid(3);
    expect((await money.refund(id, { amount: 40_001 })).status).toBe(201);
    await money.checked();
    expect(money.givenBack(reference)).toBe(40_001n);
    expect((await money.refund(id)).status).toBe(201);
    await money.checked();
    const { refunded_amount: refunded, amount } = await merchant.read(id);
    expect(refunded).toBe(amount);
    expect(money.givenBack(reference)).toBe(BigInt(Number(amount)));
  });

  test("whose answer is lost is made once", async () => {
    const { id, reference } = await money.paid();
    asaas.fail("refundPayment", { kind: "lost" });
    await money.refund(id, { amount: 500 });
    service.faults.splice(0);
    for (let count = 0; count < 3; count++) await money.checked();
    expect(money.givenBack(reference)).toBe(500n);
    expect(await merchant.read(id)).toMatchObject({ refunded_amount: 500 });
  });

  test("that Asaas carries out after our wait is asked for once, by any process, and then found", async () => {
    const { id, reference } = await money.paid();
    let carryOut = (): void => undefined;
    asaas.fail("refundPayment", { kind: "late", hold: (late) => (carryOut = late) });
    await money.refund(id, { amount: 40_000 });
    service.faults.splice(0);
    const other = await secondService(service, { allowLoopbackProviders: true });
    for (const seconds of [15, 30, 30, 60, 60]) {
      await money.checked(seconds, [service.core.tasks, other.core.tasks]);
    }
    await other.close();
    expect([money.requestsFor(reference), await money.refundsOf(id)]).toEqual([1, ["40000 requested"]]);
    carryOut();
    await money.checked(600);
    expect([money.givenBack(reference), await money.goneOf(id)]).toEqual([40_000n, 40_000]);
    expect(await money.refundsOf(id)).toEqual(["40000 succeeded"]);
  });

  test("that Asaas does not have after a while is reported, not asked for again, and holds its amount", async () => {
    const { id, reference } = await money.paid();
    asaas.fail("refundPayment", { kind: "cut" });
    const { body } = await money.refund(id, { amount: 40_000 });
    await money.checked(500);
    service.faults.splice(0);
    for (const seconds of [300, 3600, 86_400]) await money.checked(seconds);
    const report = { mode: "live", payment_id: id, refund_id: body.id };
    expect(service.faults.splice(0)).toEqual([report, report, report]);
    expect(money.requestsFor(reference)).toBe(1);
    expect((await money.refund(id, { amount: 60_001 })).status).toBe(400);
    expect(await money.refundsOf(id)).toEqual(["40000 requested"]);
    await money.end(String(body.id));
    expect((await money.refund(id, { amount: 100_000 })).status).toBe(201);
    expect(await money.refundsOf(id)).toEqual(["100000 succeeded", "40000 failed"]);
    expect(await money.eventsOf(id)).toEqual(["payment.succeeded", "refund.failed", "refund.succeeded"]);
  });

  test("is not ended before Asaas should have it, nor when it has it", async () => {
    const { id, reference } = await money.paid();
    let carryOut = (): void => undefined;
    asaas.fail("refundPayment", { kind: "late", hold: (late) => (carryOut = late) });
    const { body } = await money.refund(id, { amount: 40_000 });
    service.faults.splice(0);
    await expect(money.end(String(body.id))).rejects.toThrow("should have");
    service.clock.advance(600);
    carryOut();
    await money.end(String(body.id));
    expect([money.givenBack(reference), await money.refundsOf(id)]).toEqual([40_000n, ["40000 succeeded"]]);
  });

  test("that a former release asked for is only looked for, as it may have left", async () => {
    const { id, reference } = await money.paid();
    const created = service.clock.nowMs() / 1000;
    const sql = `INSERT INTO live.refund (tenant_id, id, payment_id, provider_payment_id, account_id, origin, amount_minor,
        status, fee_rule, created_at, check_at, change_count)
      SELECT tenant_id, $2, payment_id, provider_payment_id, account_id, 'merchant', 1, 'requested', 'merchant',
        to_timestamp($3), to_timestamp($3), 0 FROM live.charge WHERE payment_id = $1`;
    const refundId = newId("ref");
    await rows.run(sql, [id, refundId, created]);
    await money.checked();
    service.faults.length = 0;
    expect([money.requestsFor(reference), await money.refundsOf(id)]).toEqual([0, ["1 requested"]]);
    await rows.run("DELETE FROM live.refund WHERE id = $1", [refundId]);
  });

  test("that was certainly not carried out is asked for again", async () => {
    const { id, reference } = await money.paid();
    asaas.fail("refundPayment", { kind: "busy", retryAfter: null });
    await money.refund(id);
    service.faults.splice(0);
    // The pause of a minute is counted from the answer, in whole seconds.
    await money.checked(61);
    expect([money.requestsFor(reference), await money.refundsOf(id)]).toEqual([2, ["100000 succeeded"]]);
  });

  test("that Asaas refuses fails after two minutes, is asked for once, and frees its amount", async () => {
    const { id, reference } = await money.paid();
    asaas.fail("refundPayment", { kind: "text", status: 400, text: "{}" });
    await money.refund(id);
    for (let count = 0; count < 4; count++) await money.checked();
    expect([money.requestsFor(reference), await money.refundsOf(id)]).toEqual([1, ["100000 failed"]]);
    await money.refund(id);
    expect(await money.refundsOf(id)).toEqual(["100000 succeeded", "100000 failed"]);
  });

  test("of a plan that is denied for one installment books what left, and frees the rest", async () => {
    const { id, reference } = await money.paid(3);
    asaas.refundRules.outcome = "PENDING";
    await money.refund(id);
    asaas.refundRules.outcome = "DONE";
    const [denied, ...others] = asaas.paymentsOf(reference);
    asaas.endRefunds(denied?.id ?? "", "CANCELLED");
    await money.checked();
    expect(await money.refundsOf(id)).toEqual(["100000 processing"]);
    for (const other of others) asaas.endRefunds(other.id, "DONE");
    await money.checked();
    const left = Number(others.reduce((sum, { valueMinor }) => sum + valueMinor, 0n));
    expect([await money.goneOf(id), await money.refundsOf(id)]).toEqual([left, [`${left} succeeded`]]);
    expect(await money.problems()).toEqual([]);
    await money.tell(reference);
    expect(await money.eventsOf(id)).toEqual(["payment.succeeded", "refund.succeeded"]);
    expect((await money.refund(id)).body).toMatchObject({ amount: 100_000 - left, status: "succeeded" });
    expect(await money.goneOf(id)).toBe(100_000);
    expect(await money.problems()).toEqual([]);
  });
});

describe("case 14: a chargeback", () => {
  const returned = async (id: string) =>
    await rows.read(
      "SELECT convert_from(body, 'UTF8')::json->'data'->'return'->>'reason' AS reason FROM live.event WHERE type = 'payment.returned' AND object_id = $1",
      [id],
    );

  test("of one installment that is lost is money returned, with its reason", async () => {
    const { id, reference } = await money.paid(3);
    asaas.chargeback(money.firstOf(reference));
    await money.tell(reference);
    expect(await money.goneOf(id)).toBe(0);
    asaas.moveChargeback(money.firstOf(reference), "lost");
    await money.tell(reference);
    const part = asaas.payment(money.firstOf(reference)).valueMinor;
    expect(await merchant.read(id)).toMatchObject({ refunded_amount: Number(part) });
    expect(await returned(id)).toEqual([{ reason: "chargeback" }]);
  });

  /** Refunds an amount, and then loses chargebacks of amounts of the installments. */
  async function lost(
    values: readonly bigint[],
    { refunded = 0, id = undefined as string | undefined } = {},
  ) {
    const payment = await money.paid(values.length);
    if (refunded > 0) await money.refund(payment.id, { amount: refunded });
    for (const [index, valueMinor] of values.entries()) {
      const { id: part = "" } = asaas.paymentsOf(payment.reference)[index] ?? {};
      asaas.chargeback(part, { valueMinor, ...(id === undefined ? {} : { id }) });
    }
    await money.tell(payment.reference);
    for (const { id: part } of asaas.paymentsOf(payment.reference)) asaas.moveChargeback(part, "lost");
    await money.tell(payment.reference);
    return payment;
  }

  test.each<[string, number, bigint, number]>([
    ["of a part", 0, 30_000n, 30_000],
    ["of what a refund left", 40_000, 60_000n, 100_000],
  ])("%s is booked with its own value", async (_name, refunded, valueMinor, expected) => {
    const { id } = await lost([valueMinor], { refunded });
    expect(await money.goneOf(id)).toBe(expected);
    expect(await money.problems()).toEqual([]);
  });

  test("of more than a refund left is booked up to what is left, and the rest is reported once", async () => {
    const { id, reference } = await lost([100_000n], { refunded: 40_000 });
    await money.tell(reference);
    expect(service.faults.splice(0)).toMatchObject([{ mode: "live", payment_id: id }]);
    expect(await money.goneOf(id)).toBe(100_000);
    const sql =
      "SELECT amount_minor, unbooked_minor FROM live.refund WHERE payment_id = $1 AND origin = 'provider'";
    expect(await rows.read(sql, [id])).toEqual([{ amount_minor: "60000", unbooked_minor: "40000" }]);
    expect(await money.problems()).toEqual([]);
  });

  test("that is lost after a refund which was under way at its start is booked up to what is left", async () => {
    const { id, reference } = await money.paid();
    asaas.refundRules.outcome = "PENDING";
    await money.refund(id, { amount: 40_000 });
    asaas.refundRules.outcome = "DONE";
    asaas.chargeback(money.firstOf(reference));
    await money.tell(reference);
    asaas.endRefunds(money.firstOf(reference), "DONE");
    asaas.moveChargeback(money.firstOf(reference), "lost");
    await money.tell(reference);
    expect(service.faults.splice(0)).toMatchObject([{ payment_id: id }]);
    expect(await money.goneOf(id)).toBe(100_000);
    expect(
      (await rows.read("SELECT refund_reserved_minor AS minor FROM live.payment WHERE id = $1", [id]))[0],
    ).toEqual({ minor: "100000" });
    expect(await money.problems()).toEqual([]);
  });

  test.each([
    ["its installments' values", [33_333n, 33_333n, 33_334n]],
    ["the plan's value", [100_000n, 100_000n, 100_000n]],
  ])("under one id on all installments with %s is booked whole", async (_name, values) => {
    const { id } = await lost(values, { id: crypto.randomUUID() });
    expect(service.faults).toEqual([]);
    expect(await money.goneOf(id)).toBe(100_000);
    expect(await money.problems()).toEqual([]);
  });

  test("that the merchant wins returns nothing", async () => {
    const { id, reference } = await money.paid();
    asaas.chargeback(money.firstOf(reference));
    await money.tell(reference);
    for (const move of ["disputed", "won", "reversed"] as const) {
      asaas.moveChargeback(money.firstOf(reference), move);
      await money.tell(reference);
    }
    expect(await money.goneOf(id)).toBe(0);
    expect(await returned(id)).toEqual([]);
  });
});
