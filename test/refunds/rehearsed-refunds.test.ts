import { afterAll, describe, expect, test } from "vitest";
import { REHEARSED_REFUNDS, SLOW_SECONDS } from "../../src/providers/sandbox/rehearsed-refund.ts";
import { checkLedger } from "../ledger/book-keeper.ts";
import { DatabaseRows } from "../support/database-rows.ts";
import { forFile } from "../support/for-file.ts";
import { startService } from "../support/service.ts";
import { subscribed } from "../webhooks/subscribed.ts";
import { RefundScene } from "./scene.ts";

const service = await forFile(startService());
const rows = await forFile(new DatabaseRows(service.databaseUrl).open());
const { merchant, receiver } = await subscribed(service, { values: ["refund.*"] });
await forFile(Promise.resolve(receiver));
const worker = service.core.startWorker();
afterAll(async () => await worker.stop());
const scene = new RefundScene(service, merchant, rows);

const simulated = async (): Promise<string> => (await merchant.pay()).body.id;
const toldOf = async (id: string, type: string) => {
  const [told] = await receiver.until(1, ({ text }) => text.includes(id) && text.includes(`"${type}"`));
  return JSON.parse(told?.text ?? "").data.refund;
};

describe.each([
  ["simulated", simulated],
  ["made on the payer's page", scene.paidByPix],
])("a refund of a payment %s", (_made, paid) => {
  test("of 101 fails with insufficient_balance, and its money can be refunded again", async () => {
    const id = await paid();
    const { status, body } = await scene.refund(id, {
      amount: Number(REHEARSED_REFUNDS.insufficientBalance),
    });
    const failed = { amount: 101, status: "failed", failure_code: "insufficient_balance" };
    expect([status, body]).toEqual([201, expect.objectContaining(failed)]);
    expect(await toldOf(body.id, "refund.failed")).toEqual(body);
    expect((await scene.refund(id)).body).toMatchObject({ amount: 15_990, status: "succeeded" });
  });

  test("of 102 fails without a code", async () => {
    const id = await paid();
    const { body } = await scene.refund(id, { amount: Number(REHEARSED_REFUNDS.failed) });
    expect(body).toMatchObject({ amount: 102, status: "failed" });
    expect(body).not.toHaveProperty("failure_code");
    expect(await toldOf(body.id, "refund.failed")).toEqual(body);
  });

  test("of 103 is in processing for half a minute, and then succeeds", async () => {
    const id = await paid();
    const asked = await scene.refund(id, { amount: Number(REHEARSED_REFUNDS.slow) });
    expect(asked.body).toMatchObject({ amount: 103, status: "processing" });
    service.clock.advance(SLOW_SECONDS - 5);
    await service.core.tasks.checkRefunds();
    expect((await scene.refundsOf(id))[0]).toMatchObject({ status: "processing" });
    service.clock.advance(SLOW_SECONDS);
    await service.core.tasks.checkRefunds();
    expect(await toldOf(asked.body.id, "refund.succeeded")).toMatchObject({
      amount: 103,
      status: "succeeded",
    });
    expect(await scene.paymentOf(id)).toMatchObject({ refunded_amount: 103 });
    expect((await checkLedger(service)).problems).toEqual([]);
  });
});
