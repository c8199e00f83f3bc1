import { describe, expect, test } from "vitest";
import { PaymentMethod } from "../../gen/paylink/pricing/v1/pricing_pb.ts";
import type { Fault } from "../support/provider/faults.ts";
import { forFile } from "../support/for-file.ts";
import { Payer } from "../support/payer.ts";
import { refusalOf } from "../support/refusal.ts";
import { connectCards, pass, PERSON, startCard, startCards } from "./card-merchant.ts";

const cards = await forFile(startCards());
const { asaas, service } = cards;
const merchant = await connectCards(cards);

const LINK = { amount: 100_000, payment_methods: ["card"], max_installments: 3, campaign: true };
const openOf = (reference: string) => asaas.paymentsOf(reference).filter(({ isDeleted }) => !isDeleted);
const chargesOf = (reference: string) =>
  new Set(openOf(reference).map(({ id, plan }) => plan?.id ?? id)).size;

describe("case 13: a card's charge whose answer is lost", () => {
  test.each<[string, Fault]>([
    ["after it was made", { kind: "lost" }],
    ["before it was made", { kind: "cut" }],
    ["in HTML", { kind: "html", status: 502 }],
    ["without a body", { kind: "empty", status: 200 }],
  ])("%s is found by its reference and made once", async (_name, fault) => {
    asaas.fail("createPayment", fault);
    const { payer, paymentId, reference, challengeUrl } = await merchant.start(3);
    expect(challengeUrl).toBeUndefined();
    expect(service.faults.splice(0)).not.toEqual([]);
    await pass(cards, 3);
    const { payment } = await payer.session();
    expect(payment?.challengeUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/i\//);
    expect(chargesOf(reference)).toBe(1);
    asaas.pay(openOf(reference)[0]?.id ?? "");
    await pass(cards, 31);
    expect((await merchant.read(paymentId))["status"]).toBe("succeeded");
  });

  test("made twice leaves one, and the page of that one is the payer's", async () => {
    asaas.fail("createPayment", { kind: "twice" });
    const { payer, paymentId, reference, challengeUrl } = await merchant.start(2);
    expect(chargesOf(reference)).toBe(2);
    await pass(cards, 31);
    expect(chargesOf(reference)).toBe(1);
    const [left] = openOf(reference);
    expect(challengeUrl).toContain(left?.id.slice("pay_".length));
    expect((await payer.session()).payment?.challengeUrl).toBe(challengeUrl);
    asaas.pay(left?.id ?? "");
    await pass(cards, 31);
    expect((await merchant.read(paymentId))["status"]).toBe("succeeded");
  });

  test("of a plan is no refusal where Asaas refuses the look after it: one plan is left, and its page is the payer's", async () => {
    const payer = new Payer(service, await merchant.newLink(LINK));
    await payer.open();
    // Its customer is known then.
    await startCard(payer);
    asaas.fail("listPlanPayments", { kind: "status", status: 400 });
    const { paymentId, reference, challengeUrl } = await startCard(payer, 3);
    expect([challengeUrl, chargesOf(reference)]).toEqual([undefined, 1]);
    expect((await merchant.read(paymentId))["status"]).toBe("processing");
    service.faults.splice(0);
    // The look for what was made is refused, too.
    asaas.fail("listPayments", { kind: "status", status: 400 });
    await expect(pass(cards, 3)).rejects.toThrow("looked after");
    await pass(cards, 15);
    expect((await payer.session()).payment?.challengeUrl).toContain(openOf(reference)[0]?.id.slice(4));
    expect(chargesOf(reference)).toBe(1);
    await pass(cards, 961);
    expect(openOf(reference)).toEqual([]);
  });

  test("and both twins are paid: the second is a duplicate to be refunded", async () => {
    asaas.fail("createPayment", { kind: "twice" });
    const { paymentId, reference, payer } = await merchant.start();
    for (const { id } of openOf(reference)) asaas.pay(id);
    await pass(cards, 31);
    expect((await merchant.read(paymentId))["status"]).toBe("succeeded");
    expect((await payer.session()).payment?.hasException).toBe(true);
  });

  test("is not failed while it is not found, and the second tab charges nothing", async () => {
    asaas.fail("createPayment", { kind: "cut" }, 3);
    const { payer, paymentId, reference } = await merchant.start();
    const again = await startCard(payer);
    expect(again.paymentId).toBe(paymentId);
    await expect(pass(cards, 3)).rejects.toThrow(/gave no answer|looked after/);
    await expect(pass(cards, 6)).rejects.toThrow(/gave no answer|looked after/);
    expect((await merchant.read(paymentId))["status"]).toBe("processing");
    service.faults.splice(0);
    await pass(cards, 12);
    expect(chargesOf(reference)).toBe(1);
  });

  test("keeps a double click and another session of the link at one charge", async () => {
    const linkId = await merchant.newLink({ amount: 100_000, payment_methods: ["card"] });
    const [one, other] = [new Payer(service, linkId), new Payer(service, linkId)];
    for (const payer of [one, other]) await payer.open();
    const request = { paymentMethod: PaymentMethod.CARD, installments: 1, payer: PERSON };
    const both = await Promise.allSettled([one.start(request), one.start(request)]);
    const ids = both.flatMap((click) => (click.status === "fulfilled" ? [click.value.paymentId] : []));
    // The later click may also be told that the first one is under way.
    for (const click of both.filter(({ status }) => status === "rejected")) {
      expect(click).toMatchObject({ reason: { message: expect.stringContaining("under way") } });
    }
    expect(new Set(ids).size).toBe(1);
    expect(await refusalOf(other.start(request))).toMatchObject({ code: "payment_in_progress" });
    await pass(cards, 31);
    expect(chargesOf(ids[0]?.replace("_", "") ?? "")).toBe(1);
  });

  test("approved after our end is an exception with its refund proposed", async () => {
    const { paymentId, reference, payer } = await merchant.start();
    const [charge] = openOf(reference);
    await pass(cards, 961);
    expect(openOf(reference)).toEqual([]);
    expect(await merchant.read(paymentId)).toMatchObject({ status: "failed" });
    asaas.pay(charge?.id ?? "");
    await pass(cards, 3600);
    expect(await merchant.read(paymentId)).toMatchObject({ status: "failed" });
    expect((await payer.session()).payment?.hasException).toBe(true);
  });

  test("paid while it is withdrawn succeeds", async () => {
    const { paymentId, reference } = await merchant.start(2);
    const [charge] = openOf(reference);
    asaas.fail("deletePlan", { kind: "before", act: () => asaas.pay(charge?.id ?? "") });
    await pass(cards, 961);
    expect((await merchant.read(paymentId))["status"]).toBe("succeeded");
  });
});
