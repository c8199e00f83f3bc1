import { describe, expect, test } from "vitest";
import { PaymentStatus } from "../../gen/paylink/ledger/v1/ledger_pb.ts";
import { forFile } from "../support/for-file.ts";
import { refusalOf } from "../support/refusal.ts";
import { connectCards, pass, PERSON, startCard, startCards } from "./card-merchant.ts";

const cards = await forFile(startCards());
const { asaas } = cards;
const merchant = await connectCards(cards);

const firstOf = (reference: string): string => asaas.paymentsOf(reference)[0]?.id ?? "";
const statusOf = async (paymentId: string) => (await merchant.read(paymentId))["status"];

describe("case 14: a card on the provider's page", () => {
  test("is paid in 21 installments by one price, to the centavo, and its last carries the cent", async () => {
    const { paymentId, reference, payer } = await merchant.start(21);
    const option = (await payer.session()).payment?.option;
    const parts = asaas.paymentsOf(reference).map(({ valueMinor }) => valueMinor);
    expect(parts).toHaveLength(21);
    expect(parts.reduce((sum, part) => sum + part, 0n)).toBe(option?.payerTotal);
    expect(new Set(parts.slice(0, -1)).size).toBe(1);
    asaas.pay(firstOf(reference));
    await pass(cards, 31);
    const total = Number(option?.payerTotal);
    expect(await merchant.read(paymentId)).toMatchObject({
      status: "succeeded",
      amount: total,
      installments: 21,
    });
  });

  test("of which 2 of 21 installments are confirmed so far is not paid", async () => {
    const { paymentId, reference, payer } = await merchant.start(21);
    asaas.pay(firstOf(reference), { confirmed: 2 });
    await pass(cards, 31);
    expect((await payer.session()).payment).toMatchObject({
      status: PaymentStatus.PROCESSING,
      isUnderReview: true,
    });
    asaas.confirmRest(firstOf(reference));
    await pass(cards, 31);
    expect(await statusOf(paymentId)).toBe("succeeded");
  });

  test("of which an installment is not in the list yet is not paid", async () => {
    const { paymentId, reference } = await merchant.start(2);
    asaas.pay(firstOf(reference));
    asaas.hide(asaas.paymentsOf(reference)[1]?.id ?? "", 60);
    await pass(cards, 31);
    expect(await statusOf(paymentId)).toBe("processing");
    await pass(cards, 31);
    expect(await statusOf(paymentId)).toBe("succeeded");
  });

  test("that is abandoned ends with its session and leaves nothing to pay", async () => {
    const { paymentId, reference } = await merchant.start(4);
    await pass(cards, 600);
    expect(await statusOf(paymentId)).toBe("processing");
    await pass(cards, 361);
    expect(await merchant.read(paymentId)).toMatchObject({
      status: "failed",
      failure_code: "payment_declined",
    });
    expect(asaas.paymentsOf(reference).every(({ isDeleted }) => isDeleted)).toBe(true);
  });

  test("that is declined there and then paid is paid", async () => {
    const { paymentId, reference } = await merchant.start();
    asaas.decline(firstOf(reference));
    await pass(cards, 31);
    expect(await statusOf(paymentId)).toBe("processing");
    asaas.pay(firstOf(reference));
    await pass(cards, 31);
    expect(await statusOf(paymentId)).toBe("succeeded");
  });

  test.each(["AWAITING_RISK_ANALYSIS", "AUTHORIZED"] as const)(
    "in %s is under review beyond its session, and then paid",
    async (status) => {
      const { paymentId, reference, payer } = await merchant.start(2);
      asaas.pay(firstOf(reference), { status });
      await pass(cards, 31);
      expect((await payer.session()).payment?.isUnderReview).toBe(true);
      await pass(cards, 7200);
      expect(await statusOf(paymentId)).toBe("processing");
      asaas.confirmRest(firstOf(reference));
      await pass(cards, 4000);
      expect(await statusOf(paymentId)).toBe("succeeded");
    },
  );

  test.each(["PENDING", "REFUNDED"] as const)(
    "whose review ends in %s is declined, and nothing is left to pay",
    async (reproved) => {
      const { paymentId, reference } = await merchant.start(2);
      asaas.pay(firstOf(reference), { status: "AWAITING_RISK_ANALYSIS" });
      await pass(cards, 31);
      asaas.endReview(firstOf(reference), "reproved", reproved);
      await pass(cards, 31);
      expect(await merchant.read(paymentId)).toMatchObject({
        status: "failed",
        failure_code: "card_declined",
      });
      const open = asaas
        .paymentsOf(reference)
        .filter(({ isDeleted, status }) => !isDeleted && status === "PENDING");
      expect(open).toEqual([]);
    },
  );

  test("of a payer who does not say who they are is refused before anything is made", async () => {
    const { payer, reference } = await merchant.start();
    await pass(cards, 961);
    await payer.open();
    expect(reference).toMatch(/^pay/);
    const before = asaas.requests.length;
    for (const [field, details] of [
      ["name", { ...PERSON, name: " " }],
      ["document", { ...PERSON, document: "529.982.247-26" }],
      ["document", { ...PERSON, document: "111.111.111-11" }],
    ] as const) {
      const refused = await refusalOf(payer.start({ paymentMethod: 2, installments: 1, payer: details }));
      expect(refused).toMatchObject({ code: "invalid_request", param: field });
    }
    expect(
      await refusalOf(payer.start({ paymentMethod: 2, payer: { ...PERSON, name: "4111 1111 1111 1111" } })),
    ).toMatchObject({
      code: "card_number_refused",
    });
    expect(asaas.requests).toHaveLength(before);
  });

  test("tells the provider no more of the payer than it needs, and sends them no messages", async () => {
    const { reference } = await merchant.start();
    const { customerId } = asaas.paymentsOf(reference)[0] ?? {};
    const customer = asaas.account().customers.get(customerId ?? "");
    expect(customer).toMatchObject({
      name: PERSON.name,
      taxId: "52998224725",
      email: null,
      notificationDisabled: true,
    });
  });

  test("can be paid anew after it was abandoned", async () => {
    const { payer } = await merchant.start();
    await pass(cards, 961);
    await payer.open();
    const { paymentId, reference } = await startCard(payer, 2);
    asaas.pay(firstOf(reference));
    await pass(cards, 31);
    expect(await statusOf(paymentId)).toBe("succeeded");
  });
});

describe("case 15: Asaas at its limits", () => {
  test("is asked again after the time that it names, and no payment fails by it", async () => {
    asaas.fail("createPayment", { kind: "busy", retryAfter: "40" });
    const { payer, paymentId, reference } = await merchant.start(2);
    cards.service.faults.length = 0;
    for (const seconds of [2, 5, 10, 15]) await pass(cards, seconds);
    expect([asaas.paymentsOf(reference), await statusOf(paymentId)]).toEqual([[], "processing"]);
    await pass(cards, 10);
    expect((await payer.session()).payment?.challengeUrl).toBeDefined();
    asaas.fail("listPayments", { kind: "busy", retryAfter: "120" });
    asaas.pay(firstOf(reference));
    await expect(pass(cards, 31)).rejects.toThrow(/looked after|429/);
    await pass(cards, 60);
    expect(await statusOf(paymentId)).toBe("processing");
    await pass(cards, 61);
    expect(await statusOf(paymentId)).toBe("succeeded");
  });
});
