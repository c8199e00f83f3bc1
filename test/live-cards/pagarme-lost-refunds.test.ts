import { createClient } from "@connectrpc/connect";
import { describe, expect, test } from "vitest";
import { RefundsService } from "../../gen/paylink/refunds/v1/refunds_pb.ts";
import { DatabaseRows } from "../support/database-rows.ts";
import { forFile } from "../support/for-file.ts";
import { callBack, connectPagarme, referenceOf, startPagarmeService } from "./pagarme-merchant.ts";

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
const tell = async (id: string): Promise<void> => await callBack(cards, merchant, id);
const returned = async (id: string) =>
  await rows.read("SELECT FROM live.event WHERE type = 'payment.returned' AND object_id = $1", [id]);

async function checked(seconds = 20): Promise<void> {
  service.clock.advance(seconds);
  pagarme.clock.advance(seconds);
  await service.core.tasks.checkRefunds();
}

describe("a refund at Pagar.me", () => {
  test("in part whose answer is lost is asked for once, and succeeds", async () => {
    const id = await paid(3);
    const before = askedCount();
    pagarme.fail("cancelCharge", { kind: "lost" });
    await refund(id, { amount: 40_001 });
    service.faults.splice(0);
    for (const seconds of [15, 40, 60, HOUR]) await checked(seconds);
    expect([askedCount() - before, gone(id)]).toEqual([1, 40_001n]);
    expect(await goneOf(id)).toBe(40_001);
    await tell(id);
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

  test("that never arrived is asked for once, and holds its amount until a person ends it", async () => {
    const id = await paid();
    const before = askedCount();
    pagarme.fail("cancelCharge", { kind: "cut" });
    const { body } = await merchant.api.post(`/v1/payments/${id}/refunds`, { amount: 700 });
    for (const seconds of [40, HOUR, 24 * HOUR]) await checked(seconds);
    const report = { mode: "live", payment_id: id, refund_id: body.id };
    expect(service.faults.splice(0).slice(-2)).toEqual([report, report]);
    expect([askedCount() - before, await goneOf(id), gone(id)]).toEqual([1, 0, 0n]);
    expect(await refund(id, { amount: 99_301 })).toBe(400);
    await createClient(RefundsService, service.core.transport).endRefund(
      { id: String(body.id) },
      merchant.as,
    );
    expect(await refund(id)).toBe(201);
    expect([await goneOf(id), gone(id)]).toEqual([100_000, 100_000n]);
  });

  test("that was certainly not carried out is asked for again", async () => {
    const id = await paid();
    pagarme.fail("cancelCharge", { kind: "busy", retryAfter: null });
    await refund(id, { amount: 500 });
    service.faults.splice(0);
    await checked(61);
    expect([await goneOf(id), gone(id)]).toEqual([500, 500n]);
  });

  test.each([412, 409])(
    "that was made and is answered by %i is asked for once, and succeeds",
    async (status) => {
      const id = await paid();
      const before = askedCount();
      pagarme.fail("cancelCharge", { kind: "html", status });
      await refund(id, { amount: 500 });
      for (let count = 0; count < 3; count++) await checked(60);
      expect([askedCount() - before, gone(id), await goneOf(id)]).toEqual([1, 500n, 500]);
    },
  );

  test("whose look is refused for a while is asked for once, and succeeds", async () => {
    const id = await paid();
    const before = askedCount();
    pagarme.fail("cancelCharge", { kind: "lost" });
    await refund(id, { amount: 500 });
    pagarme.fail("listTransactions", { kind: "status", status: 400 }, 3);
    for (let count = 0; count < 5; count++) await checked(60 * 2 ** count).catch(() => undefined);
    service.faults.splice(0);
    expect([askedCount() - before, gone(id), await goneOf(id)]).toEqual([1, 500n, 500]);
  });

  test("that was not made fails after one request, and frees its amount", async () => {
    const id = await paid();
    const before = askedCount();
    pagarme.fail("cancelCharge", { kind: "status", status: 412 });
    await refund(id, { amount: 500 });
    for (let count = 0; count < 5; count++) await checked(60);
    expect([askedCount() - before, await goneOf(id), gone(id)]).toEqual([1, 0, 0n]);
    expect(await refund(id)).toBe(201);
  });

  test("is found after days, though Pagar.me's clock is behind ours", async () => {
    const id = await paid();
    pagarme.clock.advance(-250);
    pagarme.fail("cancelCharge", { kind: "lost" });
    await refund(id, { amount: 500 });
    service.faults.splice(0);
    for (const seconds of [24 * HOUR, HOUR]) await checked(seconds);
    pagarme.clock.advance(250);
    expect([await goneOf(id), gone(id)]).toEqual([500, 500n]);
  });
});
