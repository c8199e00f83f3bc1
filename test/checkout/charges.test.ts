import { describe, expect, test } from "vitest";
import { SandboxAction } from "../../gen/paylink/checkout/v1/checkout_pb.ts";
import { PaymentStatus } from "../../gen/paylink/ledger/v1/ledger_pb.ts";
import { PaymentMethod } from "../../gen/paylink/pricing/v1/pricing_pb.ts";
import { DatabaseRows } from "../support/database-rows.ts";
import { forFile } from "../support/for-file.ts";
import { createMerchant } from "../support/merchant.ts";
import { Payer } from "../support/payer.ts";
import { refusalOf } from "../support/refusal.ts";
import { startService } from "../support/service.ts";

const service = await forFile(startService());
const merchant = await createMerchant(service, { paymentMethods: ["pix", "card", "ted"] });
const rows = await forFile(new DatabaseRows(service.databaseUrl).open());

async function opened(link: object = {}): Promise<Payer> {
  const payer = new Payer(service, await merchant.newLink(link));
  await payer.open();
  return payer;
}

/** What is kept of a charge. Its code is the first change of a PIX charge. */
async function charge(paymentId: string): Promise<Record<string, unknown>> {
  const found = await rows.read(
    `SELECT number, is_open AS "isOpen", decline_reason AS reason, receipt_count::int AS changes,
      acknowledged_total_minor::int AS acknowledged, sealed_payer IS NULL AS "noPayer",
      provider_payment_id AS receipt, extract(epoch FROM expires_at - created_at)::int AS seconds
      FROM test.charge WHERE payment_id = $1`,
    [paymentId],
  );
  return found[0] ?? {};
}

const statusOf = async (payer: Payer) => (await payer.session()).payment?.status;

describe("a charge is open for money that may still come", () => {
  test("not when it was paid or declined, but when we ended the payment ourselves", async () => {
    const paid = await opened();
    const paidId = await paid.payByPix();
    expect(await charge(paidId)).toMatchObject({ isOpen: false, changes: 2, reason: null, number: 1 });
    expect((await charge(paidId))["receipt"]).toMatch(/^sandbox-/);
    const declined = await opened();
    const { paymentId: declinedId } = await declined.start();
    await declined.simulate(SandboxAction.DECLINE);
    expect(await charge(declinedId)).toMatchObject({
      isOpen: false,
      changes: 2,
      reason: expect.any(String),
    });
    const ended = await opened();
    const { paymentId: endedId } = await ended.start();
    await ended.simulate(SandboxAction.EXPIRE);
    expect(await charge(endedId)).toMatchObject({ isOpen: true, changes: 2, reason: null });
    await ended.simulate(SandboxAction.EXPIRE);
    expect((await charge(endedId))["changes"]).toBe(2);
    const challenged = await opened();
    const { paymentId: challengedId } = await challenged.card("tok_challenge");
    await challenged.simulate(SandboxAction.EXPIRE);
    expect(await charge(challengedId)).toMatchObject({ isOpen: true, reason: "3ds_timeout" });
    service.clock.advance(3 * 86_400);
    await service.core.tasks.checkCharges();
    expect((await charge(endedId))["isOpen"]).toBe(false);
    expect((await charge(challengedId))["isOpen"]).toBe(false);
  });

  test("and what is known already is not written again", async () => {
    const payer = await opened();
    const { paymentId } = await payer.card("tok_challenge");
    const before = await charge(paymentId);
    service.clock.advance(31);
    await service.core.tasks.checkCharges();
    expect(await charge(paymentId)).toEqual(before);
    await payer.simulate(SandboxAction.APPROVE);
    await payer.simulate(SandboxAction.EXPIRE);
    await payer.simulate(SandboxAction.DECLINE);
    expect(await statusOf(payer)).toBe(PaymentStatus.SUCCEEDED);
  });
});

describe("money of a card", () => {
  test("in a wrong amount ends the payment; of PIX it goes on waiting", async () => {
    const payer = await opened();
    const { paymentId } = await payer.card("tok_challenge");
    const wrong = await payer.receipt(paymentId.replace("_", ""), 1n, `card-${paymentId}`);
    expect(wrong.status).toBe(PaymentStatus.FAILED);
    const waiting = await opened();
    const { paymentId: pixId } = await waiting.start();
    const still = await waiting.receipt(pixId.replace("_", ""), 1n, `pix-${pixId}`);
    expect(still.status).toBe(PaymentStatus.PENDING);
    expect((await charge(pixId))["changes"]).toBe(2);
  });
});

describe("a payment in progress", () => {
  test("is answered again when it is asked for again, a challenge with its address", async () => {
    const payer = await opened();
    const first = await payer.card("tok_challenge");
    const again = await payer.card("tok_approved");
    expect([again.paymentId, again.challengeUrl]).toEqual([first.paymentId, first.challengeUrl]);
    const pix = await opened();
    const started = await pix.start();
    expect(await pix.start()).toEqual(started);
    expect(started.challengeUrl).toBeUndefined();
  });

  test("by card keeps other cards away from a single link, not from a campaign", async () => {
    for (const isCampaign of [false, true]) {
      const linkId = await merchant.newLink(isCampaign ? { campaign: true } : {});
      const [one, other] = [new Payer(service, linkId), new Payer(service, linkId)];
      await Promise.all([one.open(), other.open()]);
      await one.card("tok_challenge");
      const second = other.card();
      if (isCampaign) expect((await second).paymentId).toMatch(/^pay_/);
      else expect(await refusalOf(second)).toMatchObject({ code: "payment_in_progress" });
      expect(await refusalOf(one.start())).toMatchObject({ code: "payment_in_progress" });
    }
  });

  test("by card is one of two that begin at once on a single link", async () => {
    const linkId = await merchant.newLink();
    const payers = [new Payer(service, linkId), new Payer(service, linkId)];
    await Promise.all(payers.map((payer) => payer.open()));
    const begun = await Promise.allSettled(payers.map((payer) => payer.card("tok_challenge")));
    expect(begun.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
    const held = "test.payment WHERE link_id = $1 AND status = 'processing'";
    expect(await rows.count(held, [linkId])).toBe(1);
  });

  test("counts in its session, and by PIX is replaced by a card", async () => {
    const payer = await opened();
    await payer.start();
    const { paymentId } = await payer.card();
    expect(await charge(paymentId)).toMatchObject({ number: 2, noPayer: true });
  });
});

describe("a payment is not started", () => {
  test("without a card's token, with another total than the locked one, past the session or of a closed link", async () => {
    const payer = await opened();
    expect(await refusalOf(payer.start({ paymentMethod: PaymentMethod.CARD }))).toMatchObject({
      code: "invalid_request",
      message: "card_token is required.",
    });
    const mismatch = {
      code: "acknowledged_total_mismatch",
      message: "The acknowledged total is not the locked total.",
    };
    expect(await refusalOf(payer.start({ acknowledgedTotal: 1n }))).toMatchObject(mismatch);
    service.clock.advance(901);
    expect(await refusalOf(payer.start())).toMatchObject({ code: "checkout_session_expired" });
    const short = await opened({ expires_in: 60 });
    service.clock.advance(61);
    expect(await refusalOf(short.start())).toMatchObject({ code: "payment_link_closed" });
  });

  test("but with the locked total, which is kept", async () => {
    const payer = await opened();
    const total = (await payer.session()).options[0]?.payerTotal ?? 0n;
    const { paymentId } = await payer.start({ acknowledgedTotal: total });
    expect((await charge(paymentId))["acknowledged"]).toBe(Number(total));
    const silent = await opened();
    expect((await charge((await silent.start()).paymentId))["acknowledged"]).toBeNull();
  });
});

describe("a transfer", () => {
  async function transfer(accept: object = {}): Promise<{ payer: Payer; paymentId: string }> {
    const asked = { amount: 50_000, currency: "BRL", payment_method: "ted" };
    const quote = await merchant.api.post("/v1/quotes", asked);
    const { body } = await merchant.api.post(`/v1/quotes/${quote.body.id}/accept`, { name: "M", ...accept });
    const payer = new Payer(service, body.id);
    await payer.open();
    const { paymentId } = await payer.start({ paymentMethod: PaymentMethod.TED });
    return { payer, paymentId };
  }

  test("is simulated as it would come in, or as it comes back", async () => {
    const { payer, paymentId } = await transfer({ expires_in: 0 });
    expect((await charge(paymentId))["seconds"]).toBe(432_000);
    expect((await charge((await transfer({ expires_in: 864_000 })).paymentId))["seconds"]).toBe(432_000);
    const short = await charge((await transfer({ expires_in: 600 })).paymentId);
    expect(short["seconds"]).toBeLessThanOrEqual(600);
    expect(short["seconds"]).toBeGreaterThan(500);
    await payer.simulate(SandboxAction.APPROVE);
    expect(await statusOf(payer)).toBe(PaymentStatus.SUCCEEDED);
    expect((await charge(paymentId))["receipt"]).toMatch(/^sandbox-TED/);
    const back = await transfer();
    await back.payer.simulate(SandboxAction.DECLINE);
    expect(await statusOf(back.payer)).toBe(PaymentStatus.FAILED);
    expect((await charge(back.paymentId))["reason"]).toBe("transfer_returned");
  });
});

test("what is not there or not of test mode is not simulated", async () => {
  const payer = await opened();
  const missing = {
    code: "payment_not_found",
    message: expect.stringContaining("There is no such payment in this mode"),
  };
  expect(await refusalOf(payer.simulate(SandboxAction.APPROVE))).toMatchObject(missing);
  const live = await createMerchant(service, {}, "live");
  const asked = { linkId: await live.newLink(), sessionId: "cs_1", action: SandboxAction.APPROVE };
  expect(await refusalOf(payer.client.simulateProvider(asked, service.internal))).toMatchObject({
    code: "not_available_in_live",
    message: "Only payments of test mode are simulated.",
  });
});
