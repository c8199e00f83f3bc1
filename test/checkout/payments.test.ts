import { createClient } from "@connectrpc/connect";
import { describe, expect, test } from "vitest";
import { SandboxAction } from "../../gen/paylink/checkout/v1/checkout_pb.ts";
import { Mode } from "../../gen/paylink/identity/v1/identity_pb.ts";
import { DeclineCode, PaymentStatus } from "../../gen/paylink/ledger/v1/ledger_pb.ts";
import { PaymentLinkStatus } from "../../gen/paylink/links/v1/links_pb.ts";
import { PaymentMethod, PricingService } from "../../gen/paylink/pricing/v1/pricing_pb.ts";
import { amountOfBrCode } from "../../src/providers/br-code.ts";
import { DatabaseRows } from "../support/database-rows.ts";
import { forFile } from "../support/for-file.ts";
import { createMerchant } from "../support/merchant.ts";
import { Payer } from "../support/payer.ts";
import { startService } from "../support/service.ts";

const service = await forFile(startService());
const merchant = await createMerchant(service);

const newPayer = async (link: object = {}, of = merchant) => new Payer(service, await of.newLink(link));
const paymentOf = async (id: string) => (await merchant.api.get(`/v1/payments/${id}`)).body;

/** The bank has the money, and no report reached us. */
async function paidAtProvider(paymentId: string, secondsAgo = 0): Promise<void> {
  const rows = await new DatabaseRows(service.databaseUrl).open();
  await rows.run("UPDATE test.sandbox_charge SET status = 'paid', paid_at = $2 WHERE reference = $1", [
    paymentId.replace("_", ""),
    new Date(service.clock.nowMs() - secondsAgo * 1000),
  ]);
  await rows.close();
}

describe("a session", () => {
  test("stores one price for each payment option, at one rate, for 900 seconds", async () => {
    const usd = await createMerchant(service, { payoutCurrency: "USD" });
    const payer = await newPayer({ amount: 10_000, currency: "USD", max_installments: 3 }, usd);
    const session = await payer.open();
    expect(session.isOpen).toBe(true);
    expect(session.options.map(({ paymentMethod, installments }) => [paymentMethod, installments])).toEqual([
      [PaymentMethod.PIX, 1],
      [PaymentMethod.CARD, 1],
      [PaymentMethod.CARD, 2],
      [PaymentMethod.CARD, 3],
    ]);
    const { fx, expiresAt } = session;
    expect(fx?.validUntil).toEqual(expiresAt);
    expect(expiresAt?.seconds).toBe((fx?.lockedAt?.seconds ?? 0n) + 900n);
  });

  test("never outlasts its link", async () => {
    const payer = await newPayer({ expires_in: 60 });
    const session = await payer.open();
    expect(session.expiresAt).toEqual((await payer.page()).expiresAt);
  });

  test("offers no installment under R$ 5,00", async () => {
    const payer = await newPayer({ amount: 1600, max_installments: 12 });
    const cards = (await payer.open()).options.filter(
      ({ paymentMethod }) => paymentMethod === PaymentMethod.CARD,
    );
    expect(cards.map(({ installments }) => installments)).toEqual([1, 2, 3]);
  });

  test.each([
    [5_320_198n, 5_513_582n],
    [5_467_981n, 5_550_001n],
    [5_615_764n, 5_568_718n],
  ])(
    "on an accepted quote has the quote's price, held up by the ratchet: spot %i",
    async (spotMicros, rate) => {
      const pricing = createClient(PricingService, service.core.transport);
      const publish = async (micros: bigint) =>
        await pricing.publishFxRate(
          { mode: Mode.TEST, spotMicros: micros, maxAgeSeconds: 4_000_000_000n },
          service.internal,
        );
      await publish(5_432_100n);
      const { body } = await merchant.api.post("/v1/quotes", {
        amount: 10_000,
        currency: "USD",
        payment_method: "pix",
      });
      const link = await merchant.api.post(`/v1/quotes/${body.id}/accept`, { name: "Shoes" });
      await publish(spotMicros);
      const session = await new Payer(service, link.body.id).open();
      await publish(5_432_100n);
      expect(session.options).toHaveLength(1);
      expect(session.fx?.rate).toBe(rate);
      if (rate === 5_513_582n) expect(session.options[0]?.payerTotal).toBe(BigInt(body.payer_total));
    },
  );

  test("past its time starts nothing; a new one does", async () => {
    const payer = await newPayer();
    await payer.open();
    service.clock.advance(900);
    await expect(payer.start()).rejects.toThrow("have ended");
    expect((await payer.session()).isOpen).toBe(false);
    await payer.open();
    expect((await payer.start()).paymentId).toMatch(/^pay_/);
  });

  test("has ten payments at most, of which the last can be paid; then a new one begins", async () => {
    const payer = await newPayer({ campaign: true });
    await payer.open();
    for (let count = 0; count < 9; count++) await payer.card("tok_card_declined");
    const { paymentId } = await payer.start();
    expect(await payer.session()).toMatchObject({ isOpen: true, payment: { id: paymentId } });
    await payer.simulate(SandboxAction.DECLINE);
    expect(await payer.session()).toMatchObject({ isOpen: false });
    const rows = await new DatabaseRows(service.databaseUrl).open();
    const before = await rows.countAll("test");
    await expect(payer.card()).rejects.toThrow("have ended");
    expect(await rows.countAll("test")).toEqual(before);
    await rows.close();
    await payer.open();
    expect((await paymentOf((await payer.card()).paymentId)).status).toBe("succeeded");
  });

  test("of another link is unknown", async () => {
    const [one, other] = [await newPayer(), await newPayer()];
    one.sessionId = (await other.open()).id;
    await expect(one.start()).rejects.toThrow("no such checkout session");
  });

  test("of a live link is not opened: there is no provider", async () => {
    const live = await createMerchant(service, {}, "live");
    const payer = await newPayer({}, live);
    await expect(payer.open()).rejects.toMatchObject({ rawMessage: "pix is not offered here." });
  });
});

describe("PIX", () => {
  test("is paid: the code's amount, the payment and the page agree", async () => {
    const payer = await newPayer({ reference: "order-1" });
    const session = await payer.open();
    const { paymentId } = await payer.start();
    const { payment } = await payer.session();
    expect(payment).toMatchObject({
      id: paymentId,
      status: PaymentStatus.PENDING,
      option: session.options[0],
    });
    expect(amountOfBrCode(payment?.pixCode ?? "")).toBe(session.options[0]?.payerTotal);
    await payer.simulate(SandboxAction.APPROVE);
    expect((await payer.session()).payment?.status).toBe(PaymentStatus.SUCCEEDED);
    expect((await payer.page()).status).toBe(PaymentLinkStatus.COMPLETED);
    expect(await paymentOf(paymentId)).toMatchObject({
      status: "succeeded",
      reference: "order-1",
      amount: Number(session.options[0]?.payerTotal),
    });
  });

  test("asked for twice at once, it is one payment", async () => {
    const payer = await newPayer();
    await payer.open();
    const started = await Promise.all([payer.start(), payer.start(), payer.start()]);
    expect(new Set(started.map(({ paymentId }) => paymentId)).size).toBe(1);
  });

  test.each([
    [SandboxAction.DECLINE, "failed", "pix_rejected"],
    [SandboxAction.EXPIRE, "expired", undefined],
  ])("simulated %i: %s, and can be tried again", async (action, status, failure_code) => {
    const payer = await newPayer();
    await payer.open();
    const { paymentId } = await payer.start();
    await payer.simulate(action);
    expect(await paymentOf(paymentId)).toMatchObject({ status, ...(failure_code ? { failure_code } : {}) });
    const again = await payer.start();
    expect(again.paymentId).not.toBe(paymentId);
    await payer.simulate(SandboxAction.APPROVE);
    expect((await paymentOf(again.paymentId)).status).toBe("succeeded");
  });

  test("its time over, the worker ends it; what the bank knows is asked first", async () => {
    const [late, paid] = [await newPayer(), await newPayer()];
    for (const payer of [late, paid]) await payer.open();
    const [{ paymentId: lateId }, { paymentId: paidId }] = [await late.start(), await paid.start()];
    service.clock.advance(950);
    await service.core.tasks.checkCharges();
    expect((await paymentOf(lateId)).status).toBe("pending");
    await paidAtProvider(paidId, 100);
    service.clock.advance(11);
    await service.core.tasks.checkCharges();
    expect((await paymentOf(lateId)).status).toBe("expired");
    expect((await paymentOf(paidId)).status).toBe("succeeded");
  });

  test("paid at the bank after it ended here: the worker finds the money, for two days", async () => {
    const payer = await newPayer();
    await payer.open();
    const { paymentId } = await payer.start();
    await payer.simulate(SandboxAction.EXPIRE);
    await paidAtProvider(paymentId);
    service.clock.advance(3600);
    await service.core.tasks.checkCharges();
    expect((await payer.session()).payment).toMatchObject({
      status: PaymentStatus.EXPIRED,
      hasException: true,
    });
    for (let day = 0; day < 3; day++) {
      service.clock.advance(86_400);
      await service.core.tasks.checkCharges();
    }
    const rows = await new DatabaseRows(service.databaseUrl).open();
    expect(await rows.count("test.charge WHERE payment_id = $1 AND is_open", [paymentId])).toBe(0);
    await rows.close();
  });

  test("paid in time and reported after the link's end, it is the payment's success", async () => {
    const payer = await newPayer({ expires_in: 60 });
    await payer.open();
    const { paymentId } = await payer.start();
    const paidAt = new Date(service.clock.nowMs() + 40_000);
    service.clock.advance(70);
    await service.core.tasks.expireLinks();
    const answer = await payer.receipt(paymentId.replace("_", ""), 15_990n, `in-time-${paymentId}`, paidAt);
    expect(answer).toMatchObject({ status: PaymentStatus.SUCCEEDED });
    expect((await payer.page()).status).toBe(PaymentLinkStatus.EXPIRED);
  });

  test("paid after a card was declined in the same session: the page shows it, and nothing more is charged", async () => {
    const payer = await newPayer({ campaign: true });
    await payer.open();
    const { paymentId } = await payer.start();
    await payer.card("tok_card_declined");
    await payer.receipt(paymentId.replace("_", ""), 15_990n);
    expect((await payer.session()).payment).toMatchObject({ id: paymentId, status: PaymentStatus.SUCCEEDED });
    expect((await payer.card()).paymentId).toBe(paymentId);
  });
});

describe("cards", () => {
  test.each([1, 12])("approved in %i installments", async (installments) => {
    const payer = await newPayer({ amount: 100_000 });
    const session = await payer.open();
    const { paymentId } = await payer.card("tok_approved", installments);
    const option = session.options.find(
      (one) => one.paymentMethod === PaymentMethod.CARD && one.installments === installments,
    );
    expect(await paymentOf(paymentId)).toMatchObject({
      status: "succeeded",
      installments,
      amount: Number(option?.payerTotal),
    });
  });

  test.each([
    ["tok_insufficient_funds", DeclineCode.INSUFFICIENT_FUNDS],
    ["tok_card_declined", DeclineCode.CARD_DECLINED],
    ["tok_expired_card", DeclineCode.EXPIRED_CARD],
    ["tok_invalid_card", DeclineCode.INVALID_CARD],
    ["tok_card_not_supported", DeclineCode.CARD_NOT_SUPPORTED],
    ["tok_authentication_failed", DeclineCode.AUTHENTICATION_FAILED],
    ["tok_payment_declined", DeclineCode.PAYMENT_DECLINED],
    ["tok_never_heard_of", DeclineCode.INVALID_CARD],
  ])("%s is declined, and another card is taken", async (token, failureCode) => {
    const payer = await newPayer();
    await payer.open();
    await payer.card(token);
    expect((await payer.session()).payment).toMatchObject({ status: PaymentStatus.FAILED, failureCode });
    await payer.card();
    expect((await payer.session()).payment?.status).toBe(PaymentStatus.SUCCEEDED);
  });

  test.each([
    [SandboxAction.APPROVE, PaymentStatus.SUCCEEDED, undefined],
    [SandboxAction.DECLINE, PaymentStatus.FAILED, DeclineCode.AUTHENTICATION_FAILED],
    [SandboxAction.EXPIRE, PaymentStatus.FAILED, DeclineCode.AUTHENTICATION_FAILED],
  ])("a challenge that ends with %i", async (action, status, failureCode) => {
    const payer = await newPayer();
    await payer.open();
    const { challengeUrl } = await payer.card("tok_challenge");
    expect(challengeUrl).toMatch(new RegExp(`/pay/pl_.*/${payer.sessionId}/challenge$`));
    expect((await payer.session()).payment?.status).toBe(PaymentStatus.PROCESSING);
    await expect(payer.start()).rejects.toThrow("under way");
    await payer.simulate(action);
    expect((await payer.session()).payment?.status).toBe(status);
    expect((await payer.session()).payment?.failureCode).toBe(failureCode);
  });

  test("authorised at the provider by a process that died before it wrote that down: found by the worker", async () => {
    const payer = await newPayer();
    await payer.open();
    const { paymentId } = await payer.card("tok_challenge");
    await paidAtProvider(paymentId);
    service.clock.advance(31);
    await service.core.tasks.checkCharges();
    expect((await paymentOf(paymentId)).status).toBe("succeeded");
  });

  test("unknown to the provider: the payment fails after two minutes, and another card is taken", async () => {
    const payer = await newPayer();
    await payer.open();
    const { paymentId } = await payer.card("tok_challenge");
    const rows = await new DatabaseRows(service.databaseUrl).open();
    await rows.run("DELETE FROM test.sandbox_charge WHERE reference = $1", [paymentId.replace("_", "")]);
    await rows.run("UPDATE test.charge SET challenge_url = NULL WHERE payment_id = $1", [paymentId]);
    await rows.close();
    for (const seconds of [100, 60]) {
      service.clock.advance(seconds);
      await service.core.tasks.checkCharges();
    }
    expect(await paymentOf(paymentId)).toMatchObject({ status: "failed", failure_code: "payment_declined" });
    await payer.card();
    expect((await payer.session()).payment?.status).toBe(PaymentStatus.SUCCEEDED);
  });

  test.each([13, 21])("a quote of %i installments is offered and paid in as many", async (installments) => {
    const quote = { amount: 500_000, currency: "BRL", payment_method: "card", installments };
    const { body } = await merchant.api.post("/v1/quotes", quote);
    const accepted = await merchant.api.post(`/v1/quotes/${body.id}/accept`, { name: "Boat" });
    const payer = new Payer(service, accepted.body.id);
    expect((await payer.open()).options).toMatchObject([{ installments }]);
    const { paymentId } = await payer.card("tok_approved", installments);
    expect(await paymentOf(paymentId)).toMatchObject({ status: "succeeded", installments });
  });

  test.each(["4111111111111111", "4111 1111 1111 1111", "my card 5555-5555-5555-4444!"])(
    "something like a card number (%s) is refused and kept nowhere",
    async (cardToken) => {
      const payer = await newPayer();
      await payer.open();
      await expect(payer.card(cardToken)).rejects.toThrow("Card numbers are not taken here");
      expect((await payer.session()).payment).toBeUndefined();
    },
  );
});

describe("pass_through", () => {
  test("is charged only when the acknowledged total is the locked one, to the cent", async () => {
    const payer = await newPayer({ fee_handling: "pass_through", reference: "order-2" });
    const [pix] = (await payer.open()).options;
    const total = pix?.payerTotal ?? 0n;
    for (const acknowledgedTotal of [undefined, total - 1n, total + 1n, 0n, -total]) {
      await expect(payer.start(acknowledgedTotal === undefined ? {} : { acknowledgedTotal })).rejects.toThrow(
        "not the locked total",
      );
    }
    const { paymentId } = await payer.start({ acknowledgedTotal: total });
    const { events } = await merchant.webhooks.listEvents({ objectId: paymentId }, merchant.as);
    expect(events).toMatchObject([{ type: "payment.fees_acknowledged", isInternal: true }]);
    expect(JSON.parse(new TextDecoder().decode(events[0]?.body))).toMatchObject({
      reference: "order-2",
      data: { payment: { id: paymentId, status: "pending", amount: Number(total) } },
    });
  });
});

describe("a bank transfer", () => {
  test("accepted from a ted quote shows account and reference; its credit is confirmed to the cent", async () => {
    const offering = await createMerchant(service, { paymentMethods: ["pix", "card", "ted"] });
    const quote = await offering.api.post("/v1/quotes", {
      amount: 50_000,
      currency: "BRL",
      payment_method: "ted",
    });
    const accepted = await offering.api.post(`/v1/quotes/${quote.body.id}/accept`, { name: "Machine" });
    const payer = new Payer(service, accepted.body.id);
    const session = await payer.open();
    expect(session.options).toMatchObject([{ paymentMethod: PaymentMethod.TED, payerTotal: 50_000n }]);
    await payer.start({ paymentMethod: PaymentMethod.TED });
    const { payment } = await payer.session();
    expect(payment?.bankAccount?.bank).not.toBe("");
    expect(payment?.transferReference).toMatch(/^TED[0-9A-Z]{12}$/);
    const reference = payment?.transferReference ?? "";
    expect((await payer.receipt(reference, 49_999n, `${reference}-1`)).status).toBe(PaymentStatus.PENDING);
    expect((await payer.receipt(reference, 50_000n, `${reference}-2`)).status).toBe(PaymentStatus.SUCCEEDED);
  });
});

describe("32 payers of one single link at once", () => {
  test.each(["card", "pix"])("by %s: one succeeds, no other is charged", async (method) => {
    const linkId = await merchant.newLink();
    const payers = Array.from({ length: 32 }, () => new Payer(service, linkId));
    await Promise.all(payers.map((payer) => payer.open()));
    const results = await Promise.allSettled(
      payers.map(async (payer) => {
        if (method === "card") return await payer.card();
        await payer.start();
        return await payer.simulate(SandboxAction.APPROVE);
      }),
    );
    const { body } = await merchant.api.get(`/v1/payments?from=2020-01-01&to=2099-01-01&limit=100`);
    const ofLink = body.data.filter((payment: { link_id: string }) => payment.link_id === linkId);
    expect(ofLink.filter(({ status }: { status: string }) => status === "succeeded")).toHaveLength(1);
    if (method === "card") {
      const refused = results.filter((result) => result.status === "rejected");
      expect(refused).toHaveLength(31);
      for (const { reason } of refused) expect(reason.rawMessage).toMatch(/under way|completed/);
    }
  });
});
