import { describe, expect, test } from "vitest";
import { SandboxAction } from "../../gen/paylink/checkout/v1/checkout_pb.ts";
import { PaymentStatus } from "../../gen/paylink/ledger/v1/ledger_pb.ts";
import { PaymentLinkStatus } from "../../gen/paylink/links/v1/links_pb.ts";
import { PaymentMethod } from "../../gen/paylink/pricing/v1/pricing_pb.ts";
import { amountOfBrCode } from "../../src/providers/br-code.ts";
import { DatabaseRows } from "../support/database-rows.ts";
import { forFile } from "../support/for-file.ts";
import { createMerchant } from "../support/merchant.ts";
import { Payer } from "../support/payer.ts";
import { startService } from "../support/service.ts";
import { paidAtProvider } from "./paid-at-provider.ts";

const service = await forFile(startService());
const merchant = await createMerchant(service);

const newPayer = async (link: object = {}, of = merchant) => new Payer(service, await of.newLink(link));
const paymentOf = async (id: string) => (await merchant.api.get(`/v1/payments/${id}`)).body;

describe("PIX", () => {
  test("is paid: the code's amount, the payment and the page agree", async () => {
    const payer = await newPayer({ reference: "order-1", metadata: { order: "1042" } });
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
      metadata: { order: "1042" },
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
    await paidAtProvider(service, paidId, 100);
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
    await paidAtProvider(service, paymentId);
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

  test("paid in time and reported after the link's end, it is the payment's success and completes the link", async () => {
    const payer = await newPayer({ expires_in: 60 });
    await payer.open();
    const { paymentId } = await payer.start();
    const paidAt = new Date(service.clock.nowMs() + 40_000);
    service.clock.advance(70);
    await service.core.tasks.expireLinks();
    const answer = await payer.receipt(paymentId.replace("_", ""), 15_990n, `in-time-${paymentId}`, paidAt);
    expect(answer).toMatchObject({ status: PaymentStatus.SUCCEEDED });
    expect((await payer.page()).status).toBe(PaymentLinkStatus.COMPLETED);
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
    expect(events).toMatchObject([
      { type: "payment.fees_acknowledged", isInternal: true },
      { type: "payment.pending", isInternal: false },
    ]);
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
