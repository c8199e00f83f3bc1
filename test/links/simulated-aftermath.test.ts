import { createClient } from "@connectrpc/connect";
import { afterAll, describe, expect, test } from "vitest";
import { DisputeStatus, RefundsService } from "../../gen/paylink/refunds/v1/refunds_pb.ts";
import { END_SECONDS } from "../../src/providers/sandbox/aftermath.ts";
import { checkLedger, kindsOf } from "../ledger/book-keeper.ts";
import { expectError } from "../support/error-answer.ts";
import { forFile } from "../support/for-file.ts";
import { Payer } from "../support/payer.ts";
import { verified } from "../support/receiver.ts";
import { startService } from "../support/service.ts";
import { subscribed } from "../webhooks/subscribed.ts";

const service = await forFile(startService());
const { merchant, receiver, secret } = await subscribed(service);
await forFile(Promise.resolve(receiver));
const worker = service.core.startWorker();
afterAll(async () => await worker.stop());
const refunds = createClient(RefundsService, service.core.transport);

/** Lets the worker look, at the payment and then at its money. */
async function look(seconds: number): Promise<void> {
  service.clock.advance(seconds);
  await service.core.tasks.checkCharges();
  await service.core.tasks.readReceivables();
}

/** Waits for events of a payment, and returns what they say in the order of their making. */
async function told(id: string, count: number) {
  const found = await receiver.until(count, ({ text }) => text.includes(id));
  // oxlint-disable-next-line typescript/no-explicit-any
  const events = found.map((one): any => verified(one, secret));
  return events.toSorted((one, other) => (one.id < other.id ? -1 : 1));
}

const paid = async (payment_method: string, afterwards: string, link: object = {}) => {
  const { status, body } = await merchant.pay(link, { payment_method, afterwards });
  expect([status, body.status]).toEqual([200, "succeeded"]);
  return body;
};
const disputesOf = async (paymentId: string) =>
  (await refunds.listDisputes({ paymentId }, merchant.as)).disputes;
const expectClean = async () => expect((await checkLedger(service)).problems).toEqual([]);

describe("a simulated payment and afterwards", () => {
  test.each(["pix", "card"])(
    "returned, by %s: its money goes back by its provider's decision",
    async (method) => {
      const { id, ...answer } = await paid(method, "returned", { reference: "order-8" });
      expect(answer).not.toHaveProperty("refunded_amount");
      await look(2);
      const events = await told(id, 2);
      expect(events.map(({ type, reference }) => [type, reference])).toEqual([
        ["payment.succeeded", "order-8"],
        ["payment.returned", "order-8"],
      ]);
      expect(events[1].data).toMatchObject({
        payment: { id, status: "succeeded", refunded_amount: 15_990 },
        return: { amount: 15_990 },
      });
      expect(await kindsOf(merchant, id)).toContain("return");
      await expectClean();
    },
  );

  test("return_reversed: the money comes again, and books and payment are as before", async () => {
    const { id } = await paid("card", "return_reversed");
    await look(2);
    expect((await merchant.api.get(`/v1/payments/${id}`)).body.refunded_amount).toBe(15_990);
    await look(END_SECONDS);
    expect((await told(id, 3)).map(({ type }) => type)).toEqual([
      "payment.succeeded",
      "payment.returned",
      "payment.return_reversed",
    ]);
    expect((await merchant.api.get(`/v1/payments/${id}`)).body).not.toHaveProperty("refunded_amount");
    await expectClean();
  });

  test("disputed: the dispute waits for the merchant", async () => {
    const { id } = await paid("card", "disputed");
    await look(2);
    const [, disputed] = await told(id, 2);
    expect(disputed.type).toBe("payment.disputed");
    expect(disputed.data.dispute).toMatchObject({ status: "needs_response", amount: 15_990 });
    await look(END_SECONDS);
    expect(await disputesOf(id)).toMatchObject([{ status: DisputeStatus.NEEDS_RESPONSE }]);
    await expectClean();
  });

  test.each([
    ["dispute_won", "won", DisputeStatus.WON, []],
    ["dispute_lost", "lost", DisputeStatus.LOST, ["payment.returned"]],
  ] as const)("%s: the dispute is closed as %s", async (afterwards, word, status, more) => {
    const { id } = await paid("card", afterwards);
    await look(2);
    expect(await disputesOf(id)).toMatchObject([{ status: DisputeStatus.NEEDS_RESPONSE }]);
    await look(END_SECONDS);
    const events = await told(id, 3 + more.length);
    const types = events.map(({ type }) => type);
    expect(types.slice(0, 2)).toEqual(["payment.succeeded", "payment.disputed"]);
    expect(new Set(types.slice(2))).toEqual(new Set(["payment.dispute_closed", ...more]));
    expect(events.find(({ type }) => type === "payment.dispute_closed").data.dispute.status).toBe(word);
    expect(await disputesOf(id)).toMatchObject([{ status }]);
    await expectClean();
  });

  test("of a payment that its payer had started: its own charge is the paid one", async () => {
    const linkId = await merchant.newLink();
    const payer = new Payer(service, linkId);
    await payer.open();
    const { paymentId } = await payer.start();
    const { body } = await merchant.simulate(linkId, { afterwards: "returned" });
    expect(body).toMatchObject({ id: paymentId, status: "succeeded" });
    await look(2);
    expect((await told(paymentId, 3)).map(({ type }) => type)).toEqual([
      "payment.pending",
      "payment.succeeded",
      "payment.returned",
    ]);
    await expectClean();
  });

  test("is found at once when the merchant has the payment checked", async () => {
    const { id } = await paid("pix", "returned");
    const { body } = await merchant.api.post(`/v1/payments/${id}/check`, {});
    expect(body).toMatchObject({ answer: "paid", payment: { refunded_amount: 15_990 } });
  });

  test.each([
    [{ outcome: "failed", afterwards: "returned" }],
    [{ outcome: "succeeded", afterwards: "disputed" }],
    [{ outcome: "succeeded", afterwards: "stolen" }],
  ])("400 for %j", async (body) => {
    expectError(await merchant.simulate(await merchant.newLink(), body), {
      code: "invalid_request",
      param: "afterwards",
    });
  });
});
