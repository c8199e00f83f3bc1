import { expect, test } from "vitest";
import { answerOf } from "../../src/checkout/payment-check.ts";
import { Api } from "../support/api.ts";
import { expectError } from "../support/error-answer.ts";
import { forFile } from "../support/for-file.ts";
import { PAID_ONCE } from "./outcome.ts";
import { Scene } from "./scene.ts";

const scene = await forFile(Scene.start({ providerLimits: { connectMs: 2000, answerMs: 20_000 } }));
const { bank, service } = scene.live;
const merchant = await scene.merchant();

const check = async (id: string, idempotencyKey?: string) =>
  await merchant.api.post(`/v1/payments/${id}/check`, "", idempotencyKey ? { idempotencyKey } : {});
const paymentOf = async (id: string) => (await merchant.api.get(`/v1/payments/${id}`)).body;
const readsFrom = (from: number): number =>
  bank.requests.slice(from).filter(({ call }) => call === "readCharge").length;

test("a payment that is paid at the bank and not shown is shown after one question", async () => {
  const { paymentId, reference } = await merchant.start();
  bank.callbacks.mode = "lost";
  bank.pay(reference, 15_990n);
  expect(await merchant.status(paymentId)).toBe("pending");
  const from = bank.requests.length;
  const { status, body } = await check(paymentId);
  expect(status).toBe(200);
  const payment = await paymentOf(paymentId);
  expect(body).toEqual({ answer: "paid", message: "The payment is paid.", payment });
  expect(payment.status).toBe("succeeded");
  expect(readsFrom(from)).toBe(1);
  expect(await scene.outcome(merchant, paymentId)).toEqual(PAID_ONCE);
});

test("without money the answer says so, and nothing changes", async () => {
  const { paymentId } = await merchant.start();
  const before = await paymentOf(paymentId);
  expect((await check(paymentId)).body).toMatchObject({ answer: "not_paid", payment: before });
  expect(await paymentOf(paymentId)).toEqual(before);
});

test("money that came late is answered as not accepted", async () => {
  const { paymentId, reference } = await merchant.start({ expires_in: 60 });
  await scene.pass(200);
  bank.pay(reference, 15_990n);
  const { body } = await check(paymentId);
  expect(body).toMatchObject({ answer: "not_accepted", payment: { status: "expired" } });
});

test.each([{ kind: "hang" }, { kind: "cut" }, { kind: "busy", retryAfter: "6" }] as const)(
  "a bank that gives no answer by %o is unknown, and is asked again by the next question",
  async (fault) => {
    const { paymentId, reference } = await merchant.start();
    bank.pay(reference, 15_990n);
    bank.fail("readCharge", fault, 2);
    const { status, body } = await check(paymentId);
    expect([status, body.answer, body.payment.status]).toEqual([200, "unknown", "pending"]);
    bank.faults.clear();
    scene.faults.push(...service.faults.splice(0));
    expect((await check(paymentId)).body.answer).toBe("paid");
  },
  30_000,
);

test.each([
  ["succeeded", "unknown", true, "paid"],
  ["pending", "unknown", true, "unknown"],
  ["failed", "not_asked", false, "not_asked"],
  ["pending", "answered", true, "not_accepted"],
  ["processing", "answered", false, "in_progress"],
  ["expired", "answered", false, "not_paid"],
] as const)("of a payment that is %s, %s, exception %s: %s", (status, asked, hasException, answer) => {
  expect(answerOf({ status }, asked, hasException)).toBe(answer);
});

test("a repeated key gets the first answer, and the bank is not asked again", async () => {
  const { paymentId, reference } = await merchant.start();
  const key = `check-${paymentId}`;
  const first = await check(paymentId, key);
  bank.pay(reference, 15_990n);
  const from = bank.requests.length;
  const second = await check(paymentId, key);
  expect([first.body.answer, second.text]).toEqual(["not_paid", first.text]);
  expect(second.headers["idempotent-replay"]).toBe("true");
  expect(readsFrom(from)).toBe(0);
  const { paymentId: other } = await merchant.start();
  expectError(await check(other, key), { status: 409, code: "idempotency_key_reuse" });
});

test("a key needs the scope payments:check, and another company's payment is an unknown one", async () => {
  const { paymentId } = await merchant.start();
  const stranger = await scene.merchant();
  expectError(await stranger.api.post(`/v1/payments/${paymentId}/check`, ""), {
    status: 404,
    code: "payment_not_found",
  });
  const { key } = await service.createKey(merchant.tenant.id, "live", ["payments:read"]);
  const weak = await new Api(service, key).post(`/v1/payments/${paymentId}/check`, "");
  expectError(weak, { status: 403, code: "insufficient_scope" });
});
