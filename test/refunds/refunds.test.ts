import { describe, expect, test } from "vitest";
import { newId } from "../../contract/ids.ts";
import { checkLedger, entriesOf, kindsOf, written } from "../ledger/book-keeper.ts";
import { Api } from "../support/api.ts";
import { DatabaseRows } from "../support/database-rows.ts";
import { expectError, type Refusal } from "../support/error-answer.ts";
import { forFile } from "../support/for-file.ts";
import { createMerchant } from "../support/merchant.ts";
import { Payer } from "../support/payer.ts";
import { secondService, startService } from "../support/service.ts";
import { RefundScene } from "./scene.ts";

const service = await forFile(startService());
const merchant = await createMerchant(service);
const rows = await forFile(new DatabaseRows(service.databaseUrl).open());
const scene = new RefundScene(service, merchant, rows);
const { paidByPix, refund, paymentOf, eventsOf, refundsOf } = scene;

const expectClean = async () => expect((await checkLedger(service)).problems).toEqual([]);

describe("a refund of a payment", () => {
  test("in part, then of the rest, gives back the whole and sends an event of each", async () => {
    const id = await paidByPix({ reference: "order-1" });
    const before = await merchant.api.get(`/v1/payments/${id}`);
    expect(before.text).not.toContain("refunded_amount");
    const first = await refund(id, { amount: 5000, reason: "Out of stock" });
    expect([first.status, first.body]).toEqual([
      201,
      {
        id: expect.stringMatching(/^ref_/),
        payment_id: id,
        amount: 5000,
        currency: "BRL",
        status: "succeeded",
        reason: "Out of stock",
        created_at: expect.any(Number),
        updated_at: expect.any(Number),
      },
    ]);
    expect(await paymentOf(id)).toMatchObject({ status: "succeeded", refunded_amount: 5000 });
    const rest = await refund(id);
    expect(rest.body).toMatchObject({ amount: 10_990, status: "succeeded", reason: null });
    expect(await paymentOf(id)).toEqual({
      ...before.body,
      refunded_amount: 15_990,
      updated_at: expect.any(Number),
    });
    const { body } = await merchant.api.get(`/v1/payments/${id}/refunds`);
    expect(body).toEqual({ data: [rest.body, first.body], has_more: false, next_cursor: null });
    const events = await eventsOf(id);
    expect(events.map(({ type }) => type)).toEqual([
      "refund.succeeded",
      "refund.succeeded",
      "payment.succeeded",
      "payment.pending",
    ]);
    expect(events[0]).toMatchObject({
      reference: "order-1",
      data: { payment: { id, refunded_amount: 15_990 }, refund: rest.body },
    });
    const entries = await entriesOf(merchant, id);
    expect(entries.map(({ sourceId }) => sourceId)).toEqual([undefined, first.body.id, rest.body.id]);
    expect(entries.slice(1).map(written)).toEqual([
      ["merchant_available:BRL Dr 5000", "provider_clearing:BRL Cr 5000"],
      ["merchant_available:BRL Dr 10990", "provider_clearing:BRL Cr 10990"],
    ]);
    expectError(await refund(id, { amount: 1 }), { param: "amount" });
    await expectClean();
  });

  test("of a simulated payment's and of a card's money is made at once, too", async () => {
    const simulated = (await merchant.pay()).body.id;
    expect((await refund(simulated)).body).toMatchObject({ amount: 15_990, status: "succeeded" });
    const payer = new Payer(service, await merchant.newLink());
    await payer.open();
    const { paymentId } = await payer.card();
    expect((await refund(paymentId, { amount: 1 })).body).toMatchObject({ amount: 1, status: "succeeded" });
    await expectClean();
  });

  test("is listed with others page by page, newest first", async () => {
    const id = await paidByPix();
    const made: string[] = [];
    for (const amount of [1, 2, 3]) made.unshift((await refund(id, { amount })).body.id);
    const first = (await merchant.api.get(`/v1/payments/${id}/refunds?limit=2`)).body;
    expect(first).toMatchObject({ has_more: true, next_cursor: made[1] });
    const next = `/v1/payments/${id}/refunds?limit=2&starting_after=${first.next_cursor}`;
    const second = (await merchant.api.get(next)).body;
    expect([...first.data, ...second.data].map((one) => one.id)).toEqual(made);
    expect(second).toMatchObject({ has_more: false, next_cursor: null });
    const foreign = await merchant.api.get(`/v1/payments/${id}/refunds?starting_after=${newId("ref")}`);
    expectError(foreign, { param: "starting_after" });
    const other = await paidByPix();
    const ofOther = (await refund(other, { amount: 100 })).body.id;
    const mixed = await merchant.api.get(`/v1/payments/${id}/refunds?starting_after=${ofOther}`);
    expectError(mixed, { status: 400, code: "invalid_request", param: "starting_after" });
  });

  test("asked for twice under one key is made once, and answered with the same bytes", async () => {
    const id = await paidByPix();
    const idempotencyKey = newId("req");
    const ask = async () =>
      await merchant.api.post(`/v1/payments/${id}/refunds`, { amount: 100 }, { idempotencyKey });
    const answers = await Promise.all(Array.from({ length: 8 }, ask));
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(answers[0]?.body.status).toBe("succeeded");
    expect((await ask()).text).toBe(answers[0]?.text);
    expect(await refundsOf(id)).toHaveLength(1);
    const reused = await merchant.api.post(`/v1/payments/${id}/refunds`, { amount: 101 }, { idempotencyKey });
    expectError(reused, { status: 409, code: "idempotency_key_reuse" });
  });

  test("by several operators at once gives back no more than there is", async () => {
    const id = await paidByPix();
    const answers = await Promise.all(Array.from({ length: 8 }, () => refund(id, { amount: 4000 })));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(3);
    expect(answers.filter(({ status }) => status === 400)).toHaveLength(5);
    expect((await paymentOf(id)).refunded_amount).toBe(12_000);
    const rest = await Promise.all([refund(id), refund(id)]);
    expect(new Set(rest.map(({ status }) => status))).toEqual(new Set([201, 400]));
    expect((await paymentOf(id)).refunded_amount).toBe(15_990);
    expect(await rows.count("test.sandbox_refund WHERE reference = $1", [id.replace("_", "")])).toBe(4);
    await expectClean();
  });
});

test("one key at two processes at once makes one refund, and both answer the same bytes", async () => {
  const second = await secondService(service);
  const id = await paidByPix();
  const idempotencyKey = newId("req");
  const at = [merchant.api, new Api(second, merchant.tenant.testKey)];
  const answers = await Promise.all(
    Array.from({ length: 16 }, async (_, index) => {
      const api = at[index % 2] as Api;
      return await api.post(`/v1/payments/${id}/refunds`, { amount: 100 }, { idempotencyKey });
    }),
  );
  await second.close();
  expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
  expect(answers[0]?.body.status).toBe("succeeded");
  expect(await scene.counts(id)).toEqual({ made: 1, booked: 1, sent: 1 });
});

describe("what cannot be refunded is refused, and the provider is not asked", () => {
  const expectRefused = async (id: string, body: object, refusal: Refusal) => {
    const before = await rows.countAll("test");
    expectError(await refund(id, body), refusal);
    const { idempotency: kept, ...after } = await rows.countAll("test");
    const { idempotency: had, ...same } = before;
    expect(after).toEqual(same);
    expect(Number(kept) - Number(had)).toBeLessThanOrEqual(1);
  };

  test("an amount of nothing, of a centavo too much, or that is none", async () => {
    const id = await paidByPix();
    for (const amount of [0, -1, 15_991, 1.5, "1", null]) {
      await expectRefused(id, { amount }, { param: "amount" });
    }
    await expectRefused(id, { reason: "x".repeat(141) }, { param: "reason" });
    await expectRefused(id, { reason: "card 4111 1111 1111 1111" }, { param: "reason" });
    await expectRefused(id, { note: "x" }, { code: "unknown_parameter", param: "note" });
    expect(await paymentOf(id)).not.toHaveProperty("refunded_amount");
  });

  test("a payment that did not succeed, and one that does not exist", async () => {
    const payer = new Payer(service, await merchant.newLink());
    await payer.open();
    await expectRefused((await payer.start()).paymentId, {}, { param: null });
    await expectRefused((await merchant.pay({}, { outcome: "failed" })).body.id, {}, { param: null });
    for (const id of [newId("pay"), "pay_1", newId("ref")]) {
      await expectRefused(id, {}, { status: 404, code: "payment_not_found" });
    }
  });

  test("a bank transfer, which goes back by a transfer", async () => {
    const id = await scene.paidByTransfer();
    expectError(await refund(id), { message: /by a transfer/ });
  });

  test("without an Idempotency-Key", async () => {
    const id = await paidByPix();
    const keyless = await merchant.api.post(`/v1/payments/${id}/refunds`, {}, { idempotencyKey: null });
    expectError(keyless, { code: "missing_idempotency_key" });
  });
});

describe("a refund that the provider does not answer for", () => {
  const due = async () => {
    service.clock.advance(15);
    await service.core.tasks.checkRefunds();
  };

  test("before it heard of it stays requested, and the worker makes it once", async () => {
    const id = await paidByPix();
    await scene.whileRefused("sandbox_refund", async () => {
      expect((await refund(id, { amount: 700 })).body).toMatchObject({
        status: "requested",
        updated_at: null,
      });
      expect(await paymentOf(id)).not.toHaveProperty("refunded_amount");
      // It is counted from now on.
      expectError(await refund(id, { amount: 15_291 }), {
        status: 400,
        code: "invalid_request",
        param: "amount",
      });
      await expect(due()).rejects.toThrow("refunds could not be looked after");
    });
    expect(service.faults.splice(0).length).toBeGreaterThan(0);
    await due();
    await due();
    expect(await refundsOf(id)).toMatchObject([{ amount: 700, status: "succeeded" }]);
    expect(await scene.counts(id)).toEqual({ made: 1, booked: 1, sent: 1 });
    await expectClean();
  });

  test("after it made it, because the process died, is found by the worker and booked once", async () => {
    const id = await paidByPix();
    await scene.whileRefused("ledger_entry", async () => {
      expect((await refund(id, { amount: 800 })).body.status).toBe("requested");
      expect(await scene.counts(id)).toEqual({ made: 1, booked: 0, sent: 0 });
    });
    expect(service.faults.splice(0).length).toBeGreaterThan(0);
    await Promise.all([due(), service.core.tasks.checkRefunds()]);
    expect(await refundsOf(id)).toMatchObject([{ amount: 800, status: "succeeded" }]);
    expect(await scene.counts(id)).toEqual({ made: 1, booked: 1, sent: 1 });
    await expectClean();
  });

  test("and refuses fails; its amount is free for a new one with a new id", async () => {
    const id = await paidByPix();
    await scene.atProvider(id, "waiting");
    const failed = await refund(id);
    expect(failed.body).toMatchObject({ amount: 15_990, status: "failed" });
    expect((await eventsOf(id))[0]).toMatchObject({
      type: "refund.failed",
      data: { payment: { id, status: "succeeded" }, refund: failed.body },
    });
    expect(await paymentOf(id)).not.toHaveProperty("refunded_amount");
    expect(await kindsOf(merchant, id)).toEqual(["payment"]);
    await scene.atProvider(id, "paid");
    const again = await refund(id);
    expect(again.body).toMatchObject({ amount: 15_990, status: "succeeded" });
    expect(again.body.id).not.toBe(failed.body.id);
    await expectClean();
  });
});
