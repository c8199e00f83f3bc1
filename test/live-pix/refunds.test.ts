import { describe, expect, test } from "vitest";
import { expectError } from "../support/error-answer.ts";
import { forFile } from "../support/for-file.ts";
import type { Money } from "../../tools/bank/state.ts";
import { PAID_ONCE } from "./outcome.ts";
import { Scene } from "./scene.ts";

const DAY_SECONDS = 86_400;

const scene = await forFile(Scene.start());
const { bank } = scene.live;
const merchant = await scene.merchant();

/** A payment of R$ 159.90 with its money at the bank. */
async function paid(): Promise<{ id: string; money: Money }> {
  const { paymentId: id, reference } = await merchant.start();
  const money = bank.pay(reference, 15_990n);
  await scene.pass(60);
  expect(await scene.outcome(merchant, id)).toEqual(PAID_ONCE);
  return { id, money };
}
const refund = async (id: string, body: object = {}) =>
  await merchant.api.post(`/v1/payments/${id}/refunds`, body);
const refundsOf = async (id: string): Promise<{ id: string; amount: number; status: string }[]> =>
  (await merchant.api.get(`/v1/payments/${id}/refunds`)).body.data;
const returnsOf = ({ returns }: Money): string[] =>
  returns.map(({ amountMinor, status }) => `${amountMinor} ${status}`);
const refunded = async (id: string): Promise<unknown> =>
  (await merchant.api.get(`/v1/payments/${id}`)).body.refunded_amount;

describe("case 10: a refund", () => {
  test("case 10: in part, then the rest, and of a centavo too much is refused without asking the bank", async () => {
    const { id, money } = await paid();
    expect((await refund(id, { amount: 5000 })).body).toMatchObject({ amount: 5000, status: "processing" });
    await scene.pass(15);
    const asked = bank.requests.length;
    expectError(await refund(id, { amount: 10_991 }), {
      status: 400,
      code: "invalid_request",
      param: "amount",
    });
    expect(bank.requests).toHaveLength(asked);
    expect((await refund(id)).body).toMatchObject({ amount: 10_990 });
    await scene.pass(15);
    expect(returnsOf(money)).toEqual(["5000 DEVOLVIDO", "10990 DEVOLVIDO"]);
    expect(await refunded(id)).toBe(15_990);
    expect(await scene.outcome(merchant, id)).toMatchObject({
      status: "succeeded",
      entries: ["payment", "refund", "refund"],
      events: ["payment.succeeded", "refund.succeeded", "refund.succeeded"],
    });
  });

  test.each([{ kind: "lost" }, { kind: "silent" }, { kind: "html", status: 502 }, { kind: "cut" }] as const)(
    "case 10: whose answer was lost by %o is made once, under the same id",
    async (fault) => {
      const { id, money } = await paid();
      bank.fail("return", fault);
      const { body } = await refund(id, { amount: 700 });
      expect(body).toMatchObject({ status: "requested" });
      await scene.pass(15);
      await scene.pass(15);
      expect(returnsOf(money)).toEqual(["700 DEVOLVIDO"]);
      expect(await refundsOf(id)).toMatchObject([{ id: body.id, amount: 700, status: "succeeded" }]);
      expect(await scene.outcome(merchant, id)).toMatchObject({ entries: ["payment", "refund"] });
    },
  );

  test("case 10: that the bank does not carry out frees its amount for a new id", async () => {
    const { id, money } = await paid();
    bank.returnRules = { outcome: "NAO_REALIZADO", reason: "Saldo insuficiente", isRepeatable: true };
    await refund(id);
    await scene.pass(15);
    expect(await refundsOf(id)).toMatchObject([{ status: "failed" }]);
    expect(await refunded(id)).toBeUndefined();
    bank.returnRules = { outcome: "DEVOLVIDO", reason: null, isRepeatable: true };
    await refund(id);
    await scene.pass(15);
    expect(returnsOf(money)).toEqual(["15990 NAO_REALIZADO", "15990 DEVOLVIDO"]);
    expect((await scene.outcome(merchant, id)).events).toEqual([
      "payment.succeeded",
      "refund.failed",
      "refund.succeeded",
    ]);
  });

  test("case 10: of two operators at once is made once", async () => {
    const { id, money } = await paid();
    const answers = await Promise.all([refund(id), refund(id)]);
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201, 400]));
    await scene.pass(15);
    expect(returnsOf(money)).toEqual(["15990 DEVOLVIDO"]);
  });

  test("case 10: on day 91 is refused, and the bank is not asked", async () => {
    const { id } = await paid();
    await scene.pass(91 * DAY_SECONDS, []);
    const asked = bank.requests.length;
    expectError(await refund(id), { status: 400, code: "refund_period_over", param: null });
    expect(bank.requests).toHaveLength(asked);
  });
});

describe("case 11: money that the bank gives back by itself", () => {
  test("case 11: in part after the payout, seen by the sweep alone, is booked, told and counted once", async () => {
    const { id, money } = await paid();
    await scene.pass(5 * DAY_SECONDS, ["settle"]);
    bank.callbacks.mode = "lost";
    bank.returnByBank(money.endToEndId, 10_000n);
    for (let day = 0; day < 3; day++) await scene.pass(DAY_SECONDS);
    expect(await refunded(id)).toBe(10_000);
    expect(await scene.outcome(merchant, id)).toMatchObject({
      status: "succeeded",
      entries: ["payment", "return"],
      events: ["payment.succeeded", "payment.returned"],
    });
    expectError(await refund(id, { amount: 5991 }), {
      status: 400,
      code: "invalid_request",
      param: "amount",
    });
    expect((await refund(id)).body.amount).toBe(5990);
    await scene.pass(15);
    expect(await scene.problems()).toEqual([]);
  });

  test("case 11: while our refund of the whole is under way, makes that one fail, and the rest can be refunded", async () => {
    const { id, money } = await paid();
    bank.fail("return", { kind: "cut" });
    expect((await refund(id)).body).toMatchObject({ amount: 15_990, status: "requested" });
    bank.returnByBank(money.endToEndId, 5000n);
    await scene.pass(0, ["answerCallbacks"]);
    for (let day = 0; day < 2; day++) await scene.pass(DAY_SECONDS, ["sweepProviders"]);
    expect(await refunded(id)).toBe(5000);
    await scene.pass(DAY_SECONDS);
    for (let minute = 0; minute < 4; minute++) await scene.pass(60, ["checkRefunds"]);
    expect(await refundsOf(id)).toMatchObject([{ amount: 15_990, status: "failed" }]);
    expect((await refund(id)).body.amount).toBe(10_990);
    await scene.pass(15);
    expect(returnsOf(money)).toEqual(["5000 DEVOLVIDO", "10990 DEVOLVIDO"]);
    expect(await refunded(id)).toBe(15_990);
    expect(await scene.problems()).toEqual([]);
  });

  test("case 11: of an exception's money lessens what is left of it, and changes no payment", async () => {
    const { paymentId: id, reference } = await merchant.start();
    bank.pay(reference, 15_990n);
    const duplicate = bank.pay(reference, 15_990n);
    await scene.pass(60);
    await scene.pass(60);
    const before = await scene.outcome(merchant, id);
    bank.returnByBank(duplicate.endToEndId, 15_000n);
    for (let day = 0; day < 2; day++) await scene.pass(DAY_SECONDS);
    expect(await scene.outcome(merchant, id)).toEqual(before);
    const reserved =
      "SELECT refund_reserved_minor AS minor FROM live.payment_exception WHERE payment_id = $1";
    expect(await scene.rows.read(reserved, [id])).toMatchObject([{ minor: "15000" }]);
    expect(await scene.problems()).toEqual([]);
  });
});
