import { describe, expect, test } from "vitest";
import { SandboxAction } from "../../gen/paylink/checkout/v1/checkout_pb.ts";
import { PaymentStatus } from "../../gen/paylink/ledger/v1/ledger_pb.ts";
import { DatabaseRows } from "../support/database-rows.ts";
import { forFile } from "../support/for-file.ts";
import { createMerchant } from "../support/merchant.ts";
import { Payer } from "../support/payer.ts";
import { startService } from "../support/service.ts";

const service = await forFile(startService());
const merchant = await createMerchant(service);
const rows = await forFile(new DatabaseRows(service.databaseUrl).open());

const newPayer = async (link: object = {}, of = merchant) => new Payer(service, await of.newLink(link));
const paymentOf = async (id: string) => (await merchant.api.get(`/v1/payments/${id}`)).body;
const exceptions = async () =>
  (await new Payer(service, "").client.listPaymentExceptions({}, merchant.as)).exceptions;
const bodyOf = ({ body }: { body: Uint8Array }) => JSON.parse(new TextDecoder().decode(body));

/** The bank has the money, and no report reached us. */
async function paidAtProvider(paymentId: string, secondsAgo = 0): Promise<void> {
  await rows.run("UPDATE test.sandbox_charge SET status = 'paid', paid_at = $2 WHERE reference = $1", [
    paymentId.replace("_", ""),
    new Date(service.clock.nowMs() - secondsAgo * 1000),
  ]);
}

describe("money that cannot be taken is recorded, with a refund proposed", () => {
  test("of a wrong amount; the right one is taken after it", async () => {
    const payer = await newPayer({ reference: "order-1" });
    await payer.open();
    const { paymentId } = await payer.start();
    const reference = paymentId.replace("_", "");
    const wrong = await payer.receipt(reference, 15_989n, `a-${reference}`);
    expect(wrong).toMatchObject({
      status: PaymentStatus.PENDING,
      exceptionId: expect.stringMatching(/^exc_/),
    });
    expect(await payer.receipt(reference, 15_989n, `a-${reference}`)).toEqual(wrong);
    expect((await exceptions())[0]).toMatchObject({
      reason: "wrong_amount",
      amount: 15_989n,
      expectedAmount: 15_990n,
      proposedRefund: 15_989n,
      paymentId,
    });
    expect((await payer.receipt(reference, 15_990n, `b-${reference}`)).status).toBe(PaymentStatus.SUCCEEDED);
    const { events } = await merchant.webhooks.listEvents({ objectId: paymentId }, merchant.as);
    expect(events.map(({ type }) => type)).toEqual([
      "payment.succeeded",
      "payment.exception_recorded",
      "payment.pending",
    ]);
    expect(events.slice(0, 2).map(bodyOf)).toMatchObject([
      { reference: "order-1", data: { payment: { id: paymentId, status: "succeeded" } } },
      { reference: "order-1", data: { payment: { id: paymentId, status: "pending", amount: 15_990 } } },
    ]);
  });

  test("that comes twice, reported twice each", async () => {
    const payer = await newPayer();
    const paymentId = await payer.payByPix();
    const reference = paymentId.replace("_", "");
    expect(await payer.receipt(reference, 15_990n, `sandbox-${reference}`)).not.toHaveProperty("exceptionId");
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => payer.receipt(reference, 15_990n, `second-${reference}`)),
    );
    expect(new Set(answers.map(({ exceptionId }) => exceptionId)).size).toBe(1);
    expect((await exceptions())[0]).toMatchObject({
      reason: "duplicate",
      proposedRefund: 15_990n,
      paymentId,
    });
    expect((await payer.session()).payment).toMatchObject({
      status: PaymentStatus.SUCCEEDED,
      hasException: true,
    });
  });

  test("that was paid after its time", async () => {
    const payer = await newPayer({ expires_in: 60 });
    await payer.open();
    const { paymentId } = await payer.start();
    service.clock.advance(121);
    const late = await payer.receipt(paymentId.replace("_", ""), 15_990n, `late-${paymentId}`);
    expect(late).toMatchObject({ status: PaymentStatus.EXPIRED, exceptionId: expect.any(String) });
    expect((await exceptions())[0]?.reason).toBe("late");
  });

  test("on an expired single link that was paid in time by another payer", async () => {
    const linkId = await merchant.newLink({ expires_in: 60 });
    const payers = Array.from({ length: 3 }, () => new Payer(service, linkId));
    for (const payer of payers) await payer.open();
    const ids: string[] = [];
    for (const payer of payers) ids.push((await payer.start()).paymentId);
    const [byReceipt = "", ...byWorker] = ids;
    const paidAt = new Date(service.clock.nowMs() + 40_000);
    service.clock.advance(200);
    await service.core.tasks.expireLinks();
    for (const id of byWorker) await paidAtProvider(id, 160);
    await payers[0]?.receipt(byReceipt.replace("_", ""), 15_990n, `first-${byReceipt}`, paidAt);
    await service.core.tasks.checkCharges();
    const statuses = await Promise.all(ids.map(async (id) => (await paymentOf(id)).status));
    expect(statuses).toEqual(["succeeded", "expired", "expired"]);
    expect((await exceptions()).slice(0, 2).map(({ reason }) => reason)).toEqual(["duplicate", "duplicate"]);
  });

  test("that a provider's id names a second time for another payment is refused, also when both come at once", async () => {
    const linkId = await merchant.newLink({ campaign: true });
    const payers = Array.from({ length: 6 }, () => new Payer(service, linkId));
    for (const payer of payers) await payer.open();
    const ids: string[] = [];
    for (const payer of payers) ids.push((await payer.start()).paymentId);
    const one = `one-${linkId}`;
    const results = await Promise.allSettled(
      payers.map(
        async (payer, index) =>
          await payer.receipt((ids[index] ?? "").replace("_", ""), index < 3 ? 15_990n : 15_989n, one),
      ),
    );
    expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    for (const result of results) {
      if (result.status === "rejected")
        expect(String(result.reason)).toContain("recorded for another payment");
    }
    const other = await createMerchant(service);
    const payer = await newPayer({}, other);
    await payer.open();
    const { paymentId } = await payer.start();
    const own = await payer.receipt(paymentId.replace("_", ""), 15_990n, one);
    expect(own.status).toBe(PaymentStatus.SUCCEEDED);
  });

  test("once recorded so, is not taken for another payment either", async () => {
    const [first, second] = [await newPayer(), await newPayer()];
    for (const payer of [first, second]) await payer.open();
    const [{ paymentId: one }, { paymentId: other }] = [await first.start(), await second.start()];
    const money = `wrong-${one}`;
    await first.receipt(one.replace("_", ""), 15_989n, money);
    await expect(second.receipt(other.replace("_", ""), 15_990n, money)).rejects.toThrow(
      "recorded for another payment",
    );
    expect((await paymentOf(other)).status).toBe("pending");
  });

  test("that a former release took for another payment is refused", async () => {
    const [first, second] = [await newPayer(), await newPayer()];
    for (const payer of [first, second]) await payer.open();
    const [{ paymentId: taken }, { paymentId }] = [await first.start(), await second.start()];
    const money = `former-${taken}`;
    await rows.run("UPDATE test.charge SET provider_payment_id = $2 WHERE payment_id = $1", [taken, money]);
    await expect(second.receipt(paymentId.replace("_", ""), 15_990n, money)).rejects.toThrow(
      "recorded for another payment",
    );
  });

  test("that the books have for another payment already, when the provider reports it: an exception without a refund", async () => {
    const [first, second] = [await newPayer(), await newPayer()];
    for (const payer of [first, second]) await payer.open();
    const [{ paymentId: booked }, { paymentId }] = [await first.start(), await second.start()];
    await first.receipt(booked.replace("_", ""), 15_990n, `sandbox-${paymentId.replace("_", "")}`);
    await second.simulate(SandboxAction.APPROVE);
    expect((await paymentOf(paymentId)).status).toBe("pending");
    expect((await exceptions())[0]).toMatchObject({ paymentId, reason: "duplicate", proposedRefund: 0n });
  });

  test("so, when the worker finds it: the payment waits until its time is over", async () => {
    const [first, second] = [await newPayer(), await newPayer()];
    for (const payer of [first, second]) await payer.open();
    const [{ paymentId: booked }, { paymentId }] = [await first.start(), await second.start()];
    await paidAtProvider(paymentId);
    const reference = paymentId.replace("_", "");
    await first.receipt(booked.replace("_", ""), 15_990n, `sandbox-${reference}`);
    service.clock.advance(60);
    await service.core.tasks.checkCharges();
    expect((await paymentOf(paymentId)).status).toBe("pending");
    service.clock.advance(1000);
    await service.core.tasks.checkCharges();
    expect((await paymentOf(paymentId)).status).toBe("expired");
    expect((await exceptions()).filter((one) => one.paymentId === paymentId)).toMatchObject([
      { reason: "duplicate", amount: 15_990n, proposedRefund: 0n },
    ]);
  });

  test("an unknown reference is refused", async () => {
    await expect((await newPayer()).receipt("pay01jd0000000000000000000000", 1n)).rejects.toThrow(
      "nothing of this id",
    );
  });
});

describe("two payments of one session of a campaign's link", () => {
  test("that are both paid: one succeeds, the other is a duplicate to be given back", async () => {
    const payer = await newPayer({ campaign: true });
    await payer.open();
    const { paymentId: slow } = await payer.start();
    await payer.card("tok_card_declined");
    const { paymentId: waiting } = await payer.start();
    expect((await paymentOf((await payer.card()).paymentId)).status).toBe("succeeded");
    for (const [index, id] of [slow, waiting].entries()) {
      const late = await payer.receipt(id.replace("_", ""), 15_990n, `E2E-${slow}-${index}`);
      expect(late.status).toBe(PaymentStatus.EXPIRED);
    }
    const ofSession = (await exceptions()).filter(({ paymentId }) => [slow, waiting].includes(paymentId));
    expect(ofSession.map(({ reason, proposedRefund }) => [reason, proposedRefund])).toEqual([
      ["duplicate", 15_990n],
      ["duplicate", 15_990n],
    ]);
    await payer.open();
    expect((await paymentOf((await payer.card()).paymentId)).status).toBe("succeeded");
  });

  test("of which one was simulated as paid: the other's money is a duplicate", async () => {
    const linkId = await merchant.newLink({ campaign: true });
    const payer = new Payer(service, linkId);
    await payer.open();
    const { paymentId: waiting } = await payer.start();
    await payer.card("tok_card_declined");
    const { paymentId } = await payer.start();
    const simulated = await merchant.api.post(`/v1/payment_links/${linkId}/simulate_payment`, {
      outcome: "succeeded",
    });
    const other = simulated.body.id === paymentId ? waiting : paymentId;
    const late = await payer.receipt(other.replace("_", ""), 15_990n, `E2E-${other}`);
    expect(late).toMatchObject({ status: PaymentStatus.EXPIRED, exceptionId: expect.any(String) });
  });

  test("whose money comes at the same moment: one succeeds", async () => {
    const payer = await newPayer({ campaign: true });
    await payer.open();
    const { paymentId: one } = await payer.start();
    await payer.card("tok_card_declined");
    const { paymentId: other } = await payer.start();
    const answers = await Promise.all(
      [one, other].map((id) => payer.receipt(id.replace("_", ""), 15_990n, `E2E-${id}`)),
    );
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
      PaymentStatus.SUCCEEDED,
      PaymentStatus.EXPIRED,
    ]);
  });
});
