import { createClient } from "@connectrpc/connect";
import { expect, test } from "vitest";
import { IdentityService } from "../../gen/paylink/identity/v1/identity_pb.ts";
import { RefundsService, RefundStatus } from "../../gen/paylink/refunds/v1/refunds_pb.ts";
import { forFile } from "../support/for-file.ts";
import { Scene } from "./scene.ts";

const scene = await forFile(Scene.start());
const { bank, service } = scene.live;
const merchant = await scene.merchant();
await createClient(IdentityService, service.core.transport).updateTenant(
  { tenantId: merchant.tenant.id, exceptionRefundHours: 24 },
  service.internal,
);
const refunds = createClient(RefundsService, service.core.transport);

/** A day passes, and the money that is due goes back. */
async function passDay(): Promise<void> {
  await scene.pass(86_400, ["refundExceptions"]);
  for (let count = 0; count < 4; count++) await scene.pass(60, ["checkRefunds", "checkCharges"]);
}

test.each(["answered", "lost", "silent", "cut"] as const)(
  "money that came late and money that came twice go back to their payers once, the bank's answer %s",
  async (kind) => {
    const [late, twice] = [await merchant.start({ expires_in: 60 }), await merchant.start()];
    const first = bank.pay(twice.reference, 15_990n);
    await scene.pass(200);
    const moneys = [bank.pay(late.reference, 15_990n), bank.pay(twice.reference, 15_990n)];
    const answers = [];
    for (const { paymentId } of [late, twice]) {
      answers.push((await merchant.api.post(`/v1/payments/${paymentId}/check`, "")).body.answer);
    }
    expect(answers).toEqual(["not_accepted", "paid"]);
    if (kind !== "answered") bank.fail("return", { kind }, 2);
    await passDay();
    for (const { returns } of moneys) {
      expect(returns.map(({ amountMinor, status }) => [amountMinor, status])).toEqual([
        [15_990n, "DEVOLVIDO"],
      ]);
    }
    expect(first.returns).toEqual([]);
    for (const { paymentId } of [late, twice]) {
      const { refunds: made } = await refunds.listExceptionRefunds({ paymentId }, merchant.as);
      expect(made).toMatchObject([{ amount: 15_990n, status: RefundStatus.SUCCEEDED }]);
    }
    expect(await scene.problems()).toEqual([]);
    scene.faults.length = 0;
  },
);
