import { createClient } from "@connectrpc/connect";
import { describe, expect, test } from "vitest";
import { CheckoutService } from "../../gen/paylink/checkout/v1/checkout_pb.ts";
import { CALLS_MAX } from "../support/asaas/limits.ts";
import { DatabaseRows } from "../support/database-rows.ts";
import { forFile } from "../support/for-file.ts";
import { API_KEY, CALLBACK_TOKEN, connectCards, pass, startCards } from "./card-merchant.ts";

const OTHER_KEY = `${API_KEY}-other`;
const cards = await forFile(startCards([API_KEY, OTHER_KEY]));
const { asaas, service } = cards;
const rows = await forFile(new DatabaseRows(service.databaseUrl).open());
const merchant = await connectCards(cards);
const checkout = createClient(CheckoutService, service.core.transport);

/** Starts a payment whose charge Asaas makes twice. The twin is removed, and no payer was shown it. */
async function twins(installments = 1) {
  asaas.fail("createPayment", { kind: "twice" });
  const { paymentId, reference } = await merchant.start(installments);
  await pass(cards, 31);
  const all = asaas.paymentsOf(reference);
  const [shown, twin] = [false, true].map((isDeleted) => all.filter((one) => one.isDeleted === isDeleted));
  expect([shown?.length, twin?.length]).toEqual([installments, installments]);
  return { paymentId, reference, shown: shown?.[0]?.id ?? "", twin: (twin ?? []).map(({ id }) => id) };
}

const exceptionsOf = async (paymentId: string) =>
  (await checkout.listPaymentExceptions({ paymentId }, merchant.as)).exceptions;

const bodyOf = (externalReference: string, id: unknown, number = 0) =>
  JSON.stringify({ id: `evt_${number}`, event: "PAYMENT_CONFIRMED", payment: { id, externalReference } });

async function post(payload: string): Promise<void> {
  const headers = { "asaas-access-token": CALLBACK_TOKEN };
  const request = { method: "POST", url: merchant.path, headers, payload } as const;
  expect((await service.gateway.inject(request)).statusCode).toBe(200);
}

const { tasks } = service.core;
async function callBack(reference: string, ids: readonly unknown[]): Promise<void> {
  for (const id of ids) await post(bodyOf(reference, id));
  await tasks.answerCallbacks();
}

/** What Asaas is asked while something happens: lists, and payments by their ids. */
async function asked(act: () => Promise<void>): Promise<{ lists: number; ids: number }> {
  const from = asaas.requests.length;
  await act();
  const calls = asaas.requests.slice(from).map(({ call }) => call);
  const count = (name: string): number => calls.filter((call) => call === name).length;
  return { lists: count("listPayments"), ids: count("readPayment") };
}

describe("money of a removed twin that no payer was shown", () => {
  test("is an exception once, by the id in its callback", async () => {
    const { paymentId, reference, twin } = await twins();
    await pass(cards, 961);
    asaas.pay(twin[0] ?? "");
    for (const without of ["pay_1", null]) await callBack(reference, [without]);
    expect(await exceptionsOf(paymentId)).toEqual([]);
    await callBack(reference, twin);
    expect(await exceptionsOf(paymentId)).toMatchObject([{ amount: 100_000n, providerPaymentId: twin[0] }]);
    const again = await asked(async () => await callBack(reference, twin));
    expect([again, (await exceptionsOf(paymentId)).length]).toEqual([{ lists: 0, ids: 0 }, 1]);
    // What becomes of it later is seen without another callback.
    asaas.chargeback(twin[0] ?? "");
    asaas.moveChargeback(twin[0] ?? "", "lost");
    await pass(cards, 3600);
    const gone = "live.refund WHERE payment_id = $1 AND status = 'succeeded'";
    expect(await rows.count(gone, [paymentId])).toBe(1);
  });

  test.each([
    ["pay_1_a1B2c3D4", (token: string) => `pay_1_a1B2c3D4${token}`],
    ["any other", (token: string) => `9f/${token}==`],
  ])("is an exception also where ids have the form of %s", async (_name, form) => {
    const { ids } = asaas;
    const usual = ids.form;
    ids.form = (_of, id) => form(id.slice(-8));
    const { paymentId, reference, twin } = await twins();
    ids.form = usual;
    await pass(cards, 961);
    asaas.pay(twin[0] ?? "");
    await callBack(reference, twin);
    expect(await exceptionsOf(paymentId)).toMatchObject([{ amount: 100_000n, providerPaymentId: twin[0] }]);
  });

  test("is the payment's while that is open, whose page is then removed", async () => {
    const { paymentId, reference, shown, twin } = await twins();
    asaas.pay(twin[0] ?? "");
    await callBack(reference, twin);
    expect((await merchant.read(paymentId))["status"]).toBe("succeeded");
    expect(asaas.payment(shown).isDeleted).toBe(true);
  });

  test("is found when all installments of a plan were named, together or one by one", async () => {
    for (const isTogether of [true, false]) {
      const { paymentId, reference, twin } = await twins(3);
      await pass(cards, 961);
      asaas.pay(twin[0] ?? "");
      const [last = "", ...others] = twin;
      if (isTogether) {
        const { lists, ids } = await asked(async () => await callBack(reference, twin));
        expect([lists <= 1, ids <= 4]).toEqual([true, true]);
      } else {
        for (const id of others) await callBack(reference, [id]);
        expect(await exceptionsOf(paymentId)).toEqual([]);
        await callBack(reference, [last]);
      }
      expect(await exceptionsOf(paymentId)).toMatchObject([{ amount: 100_000n }]);
      await pass(cards, 3600);
      expect(await exceptionsOf(paymentId)).toHaveLength(1);
    }
  });
});

test("money of a removed plan is found though callbacks of its installments are answered at once", async () => {
  const { paymentId, reference, twin } = await twins(3);
  await pass(cards, 961);
  asaas.pay(twin[0] ?? "");
  const [first = "", ...others] = twin;
  const { promise, resolve } = Promise.withResolvers<undefined>();
  asaas.fail("readPayment", { kind: "held", until: promise });
  await post(bodyOf(reference, first));
  const from = asaas.requests.length;
  const answering = [tasks.answerCallbacks()];
  await expect.poll(() => asaas.requests.length, { timeout: 20_000 }).toBeGreaterThan(from);
  for (const id of others) await post(bodyOf(reference, id));
  answering.push(tasks.answerCallbacks());
  const kept = "live.charge WHERE payment_id = $1 AND cardinality(told_charge_ids) = 2";
  await expect.poll(async () => await rows.count(kept, [paymentId]), { timeout: 20_000 }).toBe(1);
  expect(await exceptionsOf(paymentId)).toEqual([]);
  resolve(undefined);
  await Promise.all(answering);
  const found = async () => (await exceptionsOf(paymentId)).map(({ amount }) => amount);
  await expect.poll(found, { timeout: 20_000 }).toEqual([100_000n]);
});

describe("an id in a callback", () => {
  test("of another tenant's charge, of another reference or of none changes nothing", async () => {
    const other = await connectCards(cards, OTHER_KEY);
    const [{ paymentId, reference }, own, foreign] = [await twins(), await twins(), await other.start()];
    const [theirs] = asaas.paymentsOf(foreign.reference);
    for (const id of [own.twin[0] ?? "", theirs?.id ?? ""]) asaas.pay(id);
    const ids = [own.twin[0], theirs?.id, "pay_unknown", "ins_1", "../customers?limit=1", "4111111111111111"];
    expect((await asked(async () => await callBack(reference, ids))).ids).toBe(ids.length);
    const malformed = ["", "..", "a b", "a\0", "x".repeat(101), 7, { id: own.twin[0] }];
    expect((await asked(async () => await callBack(reference, malformed))).ids).toBe(0);
    expect((await merchant.read(paymentId))["status"]).toBe("processing");
    expect(await exceptionsOf(paymentId)).toEqual([]);
    const kept = "live.charge WHERE payment_id = $1 AND told_charge_ids <> '{}'";
    expect(await rows.count(kept, [paymentId])).toBe(0);
    await pass(cards, 961);
  });

  test("costs no call that is kept for payers, holds no news up, and is asked about when there are new calls", async () => {
    const { paymentId, reference, shown, twin } = await twins();
    for (const id of [shown, ...twin]) asaas.pay(id);
    const { quota } = asaas.account(API_KEY);
    quota.startedMs = asaas.clock.nowMs();
    quota.used = CALLS_MAX * 0.81;
    for (let number = 0; number < 60; number++) await post(bodyOf(reference, `pay_${number}`, number));
    await post(bodyOf(reference, twin[0]));
    // One look tells that few are left.
    await merchant.start();
    const few = await asked(async () => {
      await expect(tasks.answerCallbacks()).rejects.toThrow("callbacks could not be followed");
    });
    expect(few.ids).toBe(0);
    expect(few.lists).toBeLessThanOrEqual(2);
    expect((await merchant.read(paymentId))["status"]).toBe("succeeded");
    expect(await exceptionsOf(paymentId)).toEqual([]);
    service.faults.splice(0);
    await pass(cards, 13 * 3600).catch(() => undefined);
    const many = await asked(async () => await tasks.answerCallbacks());
    expect(many.ids).toBeLessThanOrEqual(62);
    expect(await exceptionsOf(paymentId)).toMatchObject([{ amount: 100_000n, reason: "duplicate" }]);
  });
});
