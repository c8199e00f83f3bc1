import { describe, expect, test } from "vitest";
import { SandboxAction } from "../../gen/paylink/checkout/v1/checkout_pb.ts";
import { PaymentStatus } from "../../gen/paylink/ledger/v1/ledger_pb.ts";
import { PaymentLinkStatus } from "../../gen/paylink/links/v1/links_pb.ts";
import { PaymentMethod } from "../../gen/paylink/pricing/v1/pricing_pb.ts";
import { DatabaseRows } from "../support/database-rows.ts";
import { forFile } from "../support/for-file.ts";
import { createMerchant } from "../support/merchant.ts";
import { Payer } from "../support/payer.ts";
import { refusalOf } from "../support/refusal.ts";
import { startService } from "../support/service.ts";

const service = await forFile(startService());
const merchant = await createMerchant(service);
const rows = await forFile(new DatabaseRows(service.databaseUrl).open());

async function opened(link: object = {}): Promise<Payer> {
  const payer = new Payer(service, await merchant.newLink(link));
  await payer.open();
  return payer;
}

const charge = async (paymentId: string) =>
  (
    await rows.read(
      `SELECT receipt_count::int AS changes, decline_reason AS reason, is_open AS "isOpen"
        FROM test.charge WHERE payment_id = $1`,
      [paymentId],
    )
  )[0];
const statusOf = async (payer: Payer) => (await payer.session()).payment?.status;

/** The sandbox fails to write a card's answer down while `run` lasts. */
async function withoutCardProvider<Result>(run: () => Promise<Result>): Promise<Result> {
  await rows.run("ALTER TABLE test.sandbox_charge ADD CONSTRAINT broken CHECK (status <> 'paid') NOT VALID");
  try {
    return await run();
  } finally {
    await rows.run("ALTER TABLE test.sandbox_charge DROP CONSTRAINT broken");
  }
}

describe("a card", () => {
  test("without an answer of the provider stays in progress, until the worker ends it after two minutes", async () => {
    const payer = await opened();
    const started = await withoutCardProvider(async () => await payer.card());
    expect(started.challengeUrl).toBeUndefined();
    const { paymentId } = started;
    expect(service.faults.splice(0)).toContainEqual({ payment_id: paymentId, err: expect.any(Error) });
    const before = await charge(paymentId);
    service.clock.advance(60);
    await service.core.tasks.checkCharges();
    expect(await statusOf(payer)).toBe(PaymentStatus.PROCESSING);
    expect(await charge(paymentId)).toEqual(before);
    service.clock.advance(100);
    await service.core.tasks.checkCharges();
    expect(await statusOf(payer)).toBe(PaymentStatus.FAILED);
    expect(await charge(paymentId)).toMatchObject({ reason: "no_answer", isOpen: true });
  });

  test("whose challenge was passed is answered without the challenge when it is asked for again", async () => {
    const payer = await opened();
    const { paymentId, challengeUrl } = await payer.card("tok_challenge");
    expect(challengeUrl).toBeDefined();
    await payer.simulate(SandboxAction.APPROVE);
    const again = await payer.card();
    expect([again.paymentId, again.challengeUrl]).toEqual([paymentId, undefined]);
  });

  test("that was given up before its challenge was recorded stays as it ended", async () => {
    const payer = await opened();
    const { paymentId } = await payer.card("tok_challenge");
    await rows.run("UPDATE test.charge SET challenge_url = NULL WHERE payment_id = $1", [paymentId]);
    await payer.simulate(SandboxAction.EXPIRE);
    const ended = await charge(paymentId);
    expect(ended).toMatchObject({ changes: 2, reason: "no_answer" });
    service.clock.advance(31);
    await service.core.tasks.checkCharges();
    expect(await charge(paymentId)).toEqual(ended);
  });

  test("in progress does not keep another payer of the link from PIX", async () => {
    const linkId = await merchant.newLink();
    const [one, other] = [new Payer(service, linkId), new Payer(service, linkId)];
    for (const payer of [one, other]) await payer.open();
    await one.card("tok_challenge");
    expect((await other.start()).paymentId).toMatch(/^pay_/);
  });
});

describe("a payment is refused, and named is what is wrong", () => {
  test("a card without a token, or with a number in its place", async () => {
    const payer = await opened();
    expect(await refusalOf(payer.start({ paymentMethod: PaymentMethod.CARD }))).toMatchObject({
      code: "invalid_request",
      param: "card_token",
    });
    expect(await refusalOf(payer.card("4111111111111111"))).toMatchObject({
      code: "card_number_refused",
      param: "card_token",
    });
  });

  test("another total than the locked one", async () => {
    const payer = await opened({ fee_handling: "pass_through" });
    expect(await refusalOf(payer.start({ acknowledgedTotal: 1n }))).toMatchObject({
      code: "acknowledged_total_mismatch",
      param: "acknowledged_total",
    });
  });

  test("more installments than the link offers", async () => {
    const payer = await opened({ max_installments: 3 });
    const { code, message } = (await refusalOf(payer.card("tok_approved", 4))) ?? {};
    expect({ code, message }).toEqual({
      code: "payment_method_unsupported",
      message: "card is not offered here: use another, or ask the operator for card.",
    });
  });

  test("a card's number in the payer's details", async () => {
    const payer = await opened({ collect_fields: ["phone"] });
    const start = payer.start({ payer: { phone: "4111 1111 1111 1111" } });
    expect(await refusalOf(start)).toMatchObject({ code: "card_number_refused", param: "phone" });
  });
});

test("a payer's details are read of their own payment alone, wherever their row is", async () => {
  const ids: string[] = [];
  for (const phone of ["11 91234-5678", "21 99876-5432"]) {
    const payer = await opened({ collect_fields: ["phone"] });
    ids.push((await payer.start({ payer: { phone } })).paymentId);
  }
  const [one = "", other = ""] = ids;
  const { client } = new Payer(service, "");
  const detailsOf = async (paymentId: string) => await client.getPayerDetails({ paymentId }, merchant.as);
  expect((await detailsOf(one)).payer?.phone).toBe("+5511912345678");
  expect((await detailsOf(other)).payer?.phone).toBe("+5521998765432");
  await rows.run(
    `UPDATE test.charge SET sealed_payer = (SELECT sealed_payer FROM test.charge WHERE payment_id = $1)
      WHERE payment_id = $2`,
    [one, other],
  );
  expect(await refusalOf(detailsOf(other))).toMatchObject({ code: undefined });
  expect(service.faults.splice(0)).not.toHaveLength(0);
});

describe("a success", () => {
  test("leaves a campaign open for others, and completes a single link that has expired meanwhile", async () => {
    const campaign = await opened({ campaign: true });
    await campaign.start();
    await campaign.simulate(SandboxAction.APPROVE);
    expect((await campaign.page()).status).toBe(PaymentLinkStatus.ACTIVE);
    const expired = await opened({ expires_in: 60 });
    const { paymentId } = await expired.start();
    const paidAt = new Date(service.clock.nowMs() + 10_000);
    service.clock.advance(70);
    await service.core.tasks.expireLinks();
    await expired.receipt(paymentId.replace("_", ""), 15_990n, `in-time-${paymentId}`, paidAt);
    expect(await statusOf(expired)).toBe(PaymentStatus.SUCCEEDED);
    expect((await expired.page()).status).toBe(PaymentLinkStatus.COMPLETED);
  });

  test("is settled by the term of the intent that it is priced by", async () => {
    const wanted = { amount: 15_990, currency: "BRL", settlement_term: "D+7" };
    const intent = await merchant.api.post("/v1/payment_intents", wanted);
    const asked = { payment_intent_id: intent.body.id, payment_method: "pix" };
    const quote = await merchant.api.post("/v1/quotes", asked);
    const link = await merchant.api.post(`/v1/quotes/${quote.body.id}/accept`, { name: "Shoes" });
    const paymentId = await new Payer(service, link.body.id).payByPix();
    expect(
      await rows.read("SELECT term_days AS days FROM test.settlement WHERE payment_id = $1", [paymentId]),
    ).toEqual([{ days: 7 }]);
  });

  test("that the worker finds three days late is the payment's, and its charge is closed", async () => {
    const payer = await opened();
    const { paymentId } = await payer.start();
    await rows.run("UPDATE test.sandbox_charge SET status = 'paid', paid_at = $2 WHERE reference = $1", [
      paymentId.replace("_", ""),
      new Date(service.clock.nowMs()),
    ]);
    service.clock.advance(3 * 86_400);
    await service.core.tasks.checkCharges();
    expect(await statusOf(payer)).toBe(PaymentStatus.SUCCEEDED);
    expect(await charge(paymentId)).toEqual({ changes: 2, reason: null, isOpen: false });
  });
});
