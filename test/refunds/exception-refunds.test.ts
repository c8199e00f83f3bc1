import { createClient } from "@connectrpc/connect";
import { describe, expect, test } from "vitest";
import { AuditLogService } from "../../gen/paylink/identity/v1/audit_log_pb.ts";
import { CheckoutService } from "../../gen/paylink/checkout/v1/checkout_pb.ts";
import { IdentityService } from "../../gen/paylink/identity/v1/identity_pb.ts";
import { RefundsService, RefundStatus } from "../../gen/paylink/refunds/v1/refunds_pb.ts";
import { newId } from "../../contract/ids.ts";
import { ConsoleClient, createUser } from "../support/console.ts";
import { DatabaseRows } from "../support/database-rows.ts";
import { forFile } from "../support/for-file.ts";
import { createMerchant } from "../support/merchant.ts";
import { Payer } from "../support/payer.ts";
import { codeOf } from "../support/refusal.ts";
import { secondService, startService } from "../support/service.ts";
import { RefundScene } from "./scene.ts";

const HOUR_SECONDS = 3600;

const service = await forFile(startService());
const rows = await forFile(new DatabaseRows(service.databaseUrl).open());
const identity = createClient(IdentityService, service.core.transport);
const refunds = createClient(RefundsService, service.core.transport);
const checkout = createClient(CheckoutService, service.core.transport);

async function merchantWith(exceptionRefundHours: number) {
  const merchant = await createMerchant(service);
  const set = async (hours: number) =>
    await identity.updateTenant(
      { tenantId: merchant.tenant.id, exceptionRefundHours: hours },
      service.internal,
    );
  if (exceptionRefundHours > 0) await set(exceptionRefundHours);
  return { merchant, set, scene: new RefundScene(service, merchant, rows) };
}
type Given = Awaited<ReturnType<typeof merchantWith>>;

const given = async ({ merchant }: Given, paymentId: string) =>
  (await refunds.listExceptionRefunds({ paymentId }, merchant.as)).refunds;
const exceptionOf = async ({ merchant }: Given, paymentId: string) =>
  (await checkout.listPaymentExceptions({ paymentId }, merchant.as)).exceptions[0];

/** Lets hours pass, and runs the tasks: the refund that one writes is asked for by the other. */
async function pass(hours: number): Promise<void> {
  service.clock.advance(hours * HOUR_SECONDS);
  await service.core.tasks.refundExceptions();
  service.clock.advance(60);
  await service.core.tasks.checkRefunds();
}

describe("money that came late", () => {
  test("stays for a person by default", async () => {
    const of = await merchantWith(0);
    const { paymentId } = await of.scene.lateMoney();
    expect((await exceptionOf(of, paymentId))?.refundAt).toBeUndefined();
    await pass(1000);
    expect(await given(of, paymentId)).toEqual([]);
  });

  test("goes back once after the tenant's hours, as by hand, and the audit log says who did it", async () => {
    const of = await merchantWith(24);
    const { id, paymentId } = await of.scene.lateMoney();
    expect((await exceptionOf(of, paymentId))?.refundAt).toBeDefined();
    const owner = new ConsoleClient(service, await createUser(service, of.merchant.tenant.id, "owner"));
    const page = `/console/test/payments/${paymentId}?lang=en`;
    expect((await owner.get(page)).body).toContain("goes back by itself on");
    await pass(23);
    expect(await given(of, paymentId)).toEqual([]);
    await pass(1);
    await pass(1);
    const [refund, ...others] = await given(of, paymentId);
    expect(refund).toMatchObject({ exceptionId: id, amount: 15_990n, status: RefundStatus.SUCCEEDED });
    expect(others).toEqual([]);
    expect((await of.scene.counts(paymentId)).made).toBe(1);
    const after = await exceptionOf(of, paymentId);
    expect([after?.refundAmount, after?.refundAt]).toEqual([15_990n, undefined]);
    expect((await owner.get(page)).body).not.toContain("goes back by itself on");
    // A refund of an exception has no event, by hand neither: its money was in no payment.
    expect((await of.scene.eventsOf(paymentId)).map(({ type }) => type)).not.toContain("refund.succeeded");
    const log = createClient(AuditLogService, service.core.transport);
    const asked = { tenantId: of.merchant.tenant.id, action: "RefundException" };
    const { entries } = await log.listAuditEntries(asked, service.internal);
    expect(entries).toMatchObject([
      { objectId: refund?.id, details: { id, by: "exception_refund_hours" }, actorId: "" },
    ]);
  });

  test("of which a person gave back a part first is left to them", async () => {
    const of = await merchantWith(2);
    const { id, paymentId } = await of.scene.lateMoney();
    const key = { headers: { ...of.merchant.as.headers, "idempotency-key": newId("req") } };
    await refunds.refundException({ id, amount: 5000n }, key);
    await pass(3);
    expect((await given(of, paymentId)).map(({ amount }) => amount)).toEqual([5000n]);
  });

  test("that a person and two workers give back at the same moment goes back once", async () => {
    const of = await merchantWith(1);
    const second = await secondService(service);
    for (let round = 0; round < 5; round++) {
      const { id, paymentId } = await of.scene.lateMoney();
      service.clock.advance(HOUR_SECONDS);
      const key = { headers: { ...of.merchant.as.headers, "idempotency-key": newId("req") } };
      await Promise.all([
        service.core.tasks.refundExceptions(),
        second.core.tasks.refundExceptions(),
        refunds.refundException({ id }, key).catch(() => undefined),
      ]);
      await pass(1);
      expect((await of.scene.counts(paymentId)).made).toBe(1);
      expect(await given(of, paymentId)).toHaveLength(1);
    }
    await second.close();
  });

  test("stays for a person once its tenant has turned it off", async () => {
    const of = await merchantWith(2);
    const { paymentId } = await of.scene.lateMoney();
    await of.set(0);
    await pass(3);
    await of.set(1);
    await pass(3);
    expect(await given(of, paymentId)).toEqual([]);
  });

  test("whose refund its provider refused stays for a person", async () => {
    const of = await merchantWith(2);
    const { paymentId } = await of.scene.lateMoney();
    await of.scene.atProvider(paymentId, "waiting");
    await pass(2);
    await pass(3);
    expect(await given(of, paymentId)).toMatchObject([{ status: RefundStatus.FAILED }]);
  });

  test("goes back once though the process died before its refund was written", async () => {
    const of = await merchantWith(2);
    const { paymentId } = await of.scene.lateMoney();
    service.clock.advance(2 * HOUR_SECONDS);
    await rows.run("ALTER TABLE test.refund ADD CONSTRAINT died CHECK (false) NOT VALID");
    await expect(service.core.tasks.refundExceptions()).rejects.toThrow("could not be given back");
    await rows.run("ALTER TABLE test.refund DROP CONSTRAINT died");
    await pass(0);
    expect(await given(of, paymentId)).toEqual([]);
    await pass(1);
    expect((await of.scene.counts(paymentId)).made).toBe(1);
  });
});

test("money that came twice is due too; in a wrong amount, or by a transfer, it stays for a person", async () => {
  const of = await merchantWith(2);
  const twice = new Payer(service, await of.merchant.newLink());
  const paid = await twice.payByPix();
  await twice.receipt(paid.replace("_", ""), 15_990n, `second-${paid}`);
  expect(await exceptionOf(of, paid)).toMatchObject({ reason: "duplicate", refundAt: expect.anything() });
  const wrong = new Payer(service, await of.merchant.newLink());
  await wrong.open();
  const { paymentId } = await wrong.start();
  await wrong.receipt(paymentId.replace("_", ""), 15_989n, `wrong-${paymentId}`);
  const transfer = await of.scene.paidByTransfer();
  const [charge] = await rows.read("SELECT reference FROM test.charge WHERE payment_id = $1", [transfer]);
  await wrong.receipt(String(charge?.["reference"]), 50_000n, `again-${transfer}`);
  for (const [id, reason] of [
    [paymentId, "wrong_amount"],
    [transfer, "duplicate"],
  ] as const) {
    expect(await exceptionOf(of, id)).toMatchObject({ reason, proposedRefund: expect.anything() });
    expect((await exceptionOf(of, id))?.refundAt).toBeUndefined();
  }
  await pass(3);
  expect(await given(of, paid)).toHaveLength(1);
  expect([await given(of, paymentId), await given(of, transfer)]).toEqual([[], []]);
});

test("who may not refund may not turn it on, and may turn it off", async () => {
  const { merchant } = await merchantWith(0);
  const { id: tenantId } = merchant.tenant;
  const by = async (permissions: string[], exceptionRefundHours: number) => {
    const { token } = await identity.createCoreToken({ name: "team", permissions }, service.internal);
    const options = { headers: { authorization: `Bearer ${token}` } };
    return await codeOf(identity.updateTenant({ tenantId, exceptionRefundHours }, options));
  };
  expect(await by(["identity:admin"], 24)).toBe("insufficient_permission");
  expect(await by(["identity:admin", "refunds:write"], 24)).toBe("ok");
  expect(await by(["identity:admin"], 0)).toBe("ok");
  expect(await by(["*:admin"], 721)).toBe("invalid_request");
});
