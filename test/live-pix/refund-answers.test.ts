import { createClient } from "@connectrpc/connect";
import { describe, expect, test } from "vitest";
import type { Fault } from "../../tools/bank/faults.ts";
import type { Money } from "../../tools/bank/state.ts";
import { newId } from "../../contract/ids.ts";
import { RefundsService } from "../../gen/paylink/refunds/v1/refunds_pb.ts";
import { expectError } from "../support/error-answer.ts";
import { HIDDEN_BRIEFLY, startRefunds } from "./refund-scene.ts";

const DAY_SECONDS = 86_400;
const HIDDEN_LONG: Fault = { kind: "refused_yet_made", status: 409, hiddenSeconds: DAY_SECONDS };
const REFUSED: Fault = { kind: "text", status: 422, text: "{}" };

const { scene, bank, service, merchant, reportsOf, paid, refund, refundsOf } = await startRefunds();
const returnsOf = ({ returns }: Money): string[] =>
  returns.map(({ amountMinor, status }) => `${amountMinor} ${status}`);
const refunded = async (id: string): Promise<unknown> =>
  (await merchant.api.get(`/v1/payments/${id}`)).body.refunded_amount;
const asks = (): number => bank.requests.filter(({ call }) => call === "return").length;
/** Lets the worker ask about refunds every minute. */
const wait = async (minutes: number): Promise<void> => {
  for (let minute = 0; minute < minutes; minute++) await scene.pass(60, ["checkRefunds"]);
};
/** Lets the bank's statements be read until each return is seen. */
const sweep = async (): Promise<void> => {
  for (let day = 0; day < 2; day++) await scene.pass(DAY_SECONDS, ["sweepProviders"]);
};
/** Refunds as REST, books, events and the bank have them, after everything was told again. */
async function expectEverywhere(
  { id, money }: { id: string; money: Money },
  { minor, refunds, events }: { minor: number; refunds: string[]; events: string[] },
): Promise<void> {
  await sweep();
  expect(await refundsOf(id)).toEqual(refunds);
  expect(await refunded(id)).toBe(minor === 0 ? undefined : minor);
  const outcome = await scene.outcome(merchant, id);
  const made = refunds.filter((one) => one.endsWith("succeeded"));
  expect(outcome).toMatchObject({
    status: "succeeded",
    entries: ["payment", ...made.map(() => "refund")],
    events: ["payment.succeeded", ...events],
  });
  const left = money.returns.filter(({ status }) => status === "DEVOLVIDO");
  expect(left.reduce((sum, { amountMinor }) => sum + Number(amountMinor), 0)).toBe(minor);
  expect(await scene.problems()).toEqual([]);
}

describe("a refund that the bank refuses", () => {
  test("and carries out is under way until it is found, and its amount is not free", async () => {
    const payment = await paid();
    bank.fail("return", HIDDEN_BRIEFLY);
    expect((await refund(payment.id, { amount: 4000 })).body).toMatchObject({ status: "processing" });
    expectError(await refund(payment.id, { amount: 11_991 }), { status: 400, param: "amount" });
    await scene.pass(15, ["checkRefunds"]);
    await expectEverywhere(payment, {
      minor: 4000,
      refunds: ["4000 succeeded"],
      events: ["refund.succeeded"],
    });
  });

  test("and does not carry out fails when the bank did not have it for two minutes; it is asked for once", async () => {
    const payment = await paid();
    const asked = asks();
    bank.fail("return", REFUSED);
    await refund(payment.id);
    for (let check = 0; check < 4; check++) await scene.pass(25, ["checkRefunds"]);
    expect(await refundsOf(payment.id)).toEqual(["15990 processing"]);
    await wait(2);
    expect(await refundsOf(payment.id)).toEqual(["15990 failed"]);
    expect(asks()).toBe(asked + 1);
    await refund(payment.id);
    await scene.pass(15, ["checkRefunds"]);
    await expectEverywhere(payment, {
      minor: 15_990,
      refunds: ["15990 succeeded", "15990 failed"],
      events: ["refund.failed", "refund.succeeded"],
    });
  });

  test("long after it was asked for waits no longer than another", async () => {
    const payment = await paid();
    bank.fail("return", { kind: "cut" });
    await refund(payment.id, { amount: 100 });
    bank.fail("return", REFUSED);
    await scene.pass(DAY_SECONDS, ["checkRefunds"]);
    expect(await refundsOf(payment.id)).toEqual(["100 processing"]);
    await wait(4);
    expect(await refundsOf(payment.id)).toEqual(["100 failed"]);
  });

  test("is not failed by an answer that says nothing", async () => {
    const payment = await paid();
    bank.fail("return", REFUSED);
    await refund(payment.id, { amount: 100 });
    bank.fail("readReturn", { kind: "status", status: 503 }, 100);
    await wait(30);
    expect(await refundsOf(payment.id)).toEqual(["100 processing"]);
  });
});

describe("a refund that failed and is found at the bank", () => {
  test("by its statement succeeds beside the one that was asked for instead, once", async () => {
    const payment = await paid();
    bank.fail("return", HIDDEN_LONG);
    await refund(payment.id, { amount: 4000 });
    await wait(4);
    expect(await refundsOf(payment.id)).toEqual(["4000 failed"]);
    await refund(payment.id, { amount: 4000 });
    await scene.pass(15, ["checkRefunds"]);
    expect(await refunded(payment.id)).toBe(4000);
    const reports = await reportsOf(sweep);
    expect(reports).toEqual([expect.objectContaining({ payment_id: payment.id })]);
    expect(await reportsOf(sweep)).toEqual([]);
    await expectEverywhere(payment, {
      minor: 8000,
      refunds: ["4000 succeeded", "4000 succeeded"],
      events: ["refund.failed", "refund.succeeded", "refund.succeeded"],
    });
    expectError(await refund(payment.id, { amount: 7991 }), { status: 400, param: "amount" });
  });

  test("while another of the whole is under way succeeds, and that one fails", async () => {
    const payment = await paid();
    bank.fail("return", HIDDEN_LONG);
    await refund(payment.id);
    await wait(4);
    bank.fail("return", { kind: "cut" });
    expect((await refund(payment.id)).body).toMatchObject({ amount: 15_990, status: "requested" });
    await sweep();
    expect(await refundsOf(payment.id)).toEqual(["15990 requested", "15990 succeeded"]);
    await scene.pass(DAY_SECONDS, ["checkRefunds"]);
    await wait(4);
    await expectEverywhere(payment, {
      minor: 15_990,
      refunds: ["15990 failed", "15990 succeeded"],
      events: ["refund.failed", "refund.succeeded", "refund.failed"],
    });
    expectError(await refund(payment.id), { status: 400, param: "amount" });
  });

  test("of more than is left is not booked, and reported as a wrong answer", async () => {
    const { id, money } = await paid();
    bank.fail("return", HIDDEN_LONG);
    await refund(id);
    await wait(4);
    const [first] = money.returns;
    bank.endReturn(money.endToEndId, first?.id ?? "", "NAO_REALIZADO");
    await refund(id);
    await scene.pass(15, ["checkRefunds"]);
    bank.endReturn(money.endToEndId, first?.id ?? "", "DEVOLVIDO");
    const reports = await reportsOf(sweep);
    expect(reports).toContainEqual(expect.objectContaining({ payment_id: id, count: 1 }));
    expect(returnsOf(money)).toEqual(["15990 DEVOLVIDO", "15990 DEVOLVIDO"]);
    expect(await refundsOf(id)).toEqual(["15990 succeeded", "15990 failed"]);
    expect(await refunded(id)).toBe(15_990);
    expect(await scene.problems()).toEqual([]);
  });

  test("of an exception's money succeeds, and lessens what is left of it", async () => {
    const { id, reference } = await paid();
    const duplicate = bank.pay(reference, 15_990n);
    await sweep();
    const read =
      "SELECT id, refund_reserved_minor AS minor FROM live.payment_exception WHERE payment_id = $1";
    const [exception] = await scene.rows.read(read, [id]);
    const client = createClient(RefundsService, service.core.transport);
    const giveBack = async (amount: bigint) => {
      const headers = { ...merchant.as.headers, "idempotency-key": newId("req") };
      return await client.refundException({ id: String(exception?.["id"]), amount }, { headers });
    };
    bank.fail("return", HIDDEN_LONG);
    await giveBack(15_000n);
    await wait(4);
    expect(await scene.rows.read(read, [id])).toMatchObject([{ minor: "0" }]);
    await sweep();
    await sweep();
    expect(await scene.rows.read(read, [id])).toMatchObject([{ minor: "15000" }]);
    await expect(giveBack(991n)).rejects.toThrow("amount must be at most 990");
    await giveBack(990n);
    await scene.pass(15, ["checkRefunds"]);
    expect(returnsOf(duplicate)).toEqual(["15000 DEVOLVIDO", "990 DEVOLVIDO"]);
    expect(await scene.outcome(merchant, id)).toMatchObject({
      entries: ["payment"],
      events: ["payment.succeeded", "payment.exception_recorded"],
    });
  });
});
