import { createClient } from "@connectrpc/connect";
import { describe, expect, test } from "vitest";
import { RefundsService } from "../../gen/paylink/refunds/v1/refunds_pb.ts";
import { newId } from "../../contract/ids.ts";
import { checkLedger, kindsOf } from "../ledger/book-keeper.ts";
import { DatabaseRows } from "../support/database-rows.ts";
import { expectError } from "../support/error-answer.ts";
import { forFile } from "../support/for-file.ts";
import { createMerchant, type Merchant } from "../support/merchant.ts";
import { startService } from "../support/service.ts";
import { RefundScene } from "./scene.ts";

const service = await forFile(startService());
const merchant = await createMerchant(service);
const rows = await forFile(new DatabaseRows(service.databaseUrl).open());
const scene = new RefundScene(service, merchant, rows);
const { paidByPix, refund, paymentOf, eventsOf, refundsOf } = scene;

const expectClean = async () => expect((await checkLedger(service)).problems).toEqual([]);

describe("money that the provider gave back by itself", () => {
  test("is counted, booked and sent as an event once, and lessens what is left", async () => {
    const id = await paidByPix({ campaign: true });
    await refund(id, { amount: 990 });
    await scene.returnedByProvider(id, 10_000n);
    await scene.refresh(id);
    await scene.refresh(id);
    expect(await paymentOf(id)).toMatchObject({ status: "succeeded", refunded_amount: 10_990 });
    const events = await eventsOf(id);
    expect(events.map(({ type }) => type)).toEqual([
      "payment.returned",
      "refund.succeeded",
      "payment.succeeded",
      "payment.pending",
    ]);
    expect(events[0]?.data).toMatchObject({
      payment: { id, refunded_amount: 10_990 },
      return: { id: expect.stringMatching(/^ref_/), payment_id: id, amount: 10_000, currency: "BRL" },
    });
    expect(await kindsOf(merchant, id)).toEqual(["payment", "refund", "return"]);
    const client = createClient(RefundsService, service.core.transport);
    const { returns } = await client.listReturns({ paymentId: id }, merchant.as);
    expect(returns).toMatchObject([{ amount: 10_000n, paymentId: id }]);
    expect(await refundsOf(id)).toHaveLength(1);
    expectError(await refund(id, { amount: 5001 }), {
      status: 400,
      code: "invalid_request",
      param: "amount",
    });
    expect((await refund(id)).body.amount).toBe(5000);
    await expectClean();
  });
});

describe("a return of more than was received", () => {
  test("is not booked and reported each time; what fits beside the refunds is", async () => {
    const id = await paidByPix({ campaign: true });
    await refund(id, { amount: 990 });
    await scene.returnedByProvider(id, 1_000_000n);
    await scene.returnedByProvider(id, 15_001n);
    await scene.returnedByProvider(id, 14_000n);
    await scene.returnedByProvider(id, 1001n);
    service.faults.length = 0;
    await scene.refresh(id);
    expect(await paymentOf(id)).toMatchObject({ refunded_amount: 14_990 });
    await scene.refresh(id);
    const report = { payment_id: id, count: 3 };
    expect(service.faults).toMatchObject([report, report]);
    expect(await kindsOf(merchant, id)).toEqual(["payment", "refund", "return"]);
    expect((await refund(id)).body.amount).toBe(1000);
    await expectClean();
    service.faults.length = 0;
  });

  test("by a refund that was under way when all was returned is not booked", async () => {
    const id = await paidByPix({ campaign: true });
    await scene.whileRefused("sandbox_refund", async () => void (await refund(id)));
    await scene.returnedByProvider(id, 15_990n);
    await scene.refresh(id);
    expect(await paymentOf(id)).toMatchObject({ refunded_amount: 15_990 });
    service.faults.length = 0;
    service.clock.advance(60);
    await service.core.tasks.checkRefunds();
    expect(service.faults).toMatchObject([{ payment_id: id, count: 1 }]);
    expect(await paymentOf(id)).toMatchObject({ refunded_amount: 15_990 });
    await expectClean();
    service.faults.length = 0;
  });

  test("of an exception is not kept", async () => {
    const { paymentId } = await scene.lateMoney();
    await scene.returnedByProvider(paymentId, 15_991n);
    service.clock.advance(3600);
    await service.core.tasks.checkCharges();
    expect(service.faults).toMatchObject([{ payment_id: paymentId, count: 1 }]);
    expect(await rows.count("test.refund WHERE payment_id = $1", [paymentId])).toBe(0);
    service.faults.length = 0;
  });
});

describe("the money of an exception", () => {
  const client = createClient(RefundsService, service.core.transport);
  const giveBack = async (id: string, amount?: bigint, of: Merchant = merchant) => {
    const headers = { ...of.as.headers, "idempotency-key": newId("req") };
    return await client.refundException({ id, ...(amount === undefined ? {} : { amount }) }, { headers });
  };

  test("is given back, and changes no payment, no entry and no event", async () => {
    const { id, paymentId } = await scene.lateMoney();
    const before = [
      await paymentOf(paymentId),
      await eventsOf(paymentId),
      await kindsOf(merchant, paymentId),
    ];
    const { refund: first } = await giveBack(id, 5000n);
    expect(first).toMatchObject({ exceptionId: id, paymentId, amount: 5000n });
    await expect(giveBack(id, 10_991n)).rejects.toThrow("amount must be at most 10990");
    expect((await giveBack(id)).refund).toMatchObject({ amount: 10_990n });
    await expect(giveBack(id)).rejects.toThrow("nothing is left");
    expect([
      await paymentOf(paymentId),
      await eventsOf(paymentId),
      await kindsOf(merchant, paymentId),
    ]).toEqual(before);
    expect(await refundsOf(paymentId)).toEqual([]);
    expect(await rows.count("test.sandbox_refund WHERE reference = $1", [paymentId.replace("_", "")])).toBe(
      2,
    );
    await expectClean();
  });

  test("that does not exist, or is of another tenant, is unknown", async () => {
    const { id } = await scene.lateMoney();
    await expect(giveBack(newId("exc"))).rejects.toThrow("no such payment");
    await expect(giveBack(id, 1n, await createMerchant(service))).rejects.toThrow("no such payment");
  });
});

test("day 91 is too late: 400 refund_period_over", async () => {
  const id = await paidByPix();
  service.clock.advance(90 * 86_400 - 60);
  expect((await refund(id, { amount: 1 })).status).toBe(201);
  service.clock.advance(61);
  expectError(await refund(id), { code: "refund_period_over" });
});
