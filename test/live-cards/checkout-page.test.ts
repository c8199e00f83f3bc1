import { describe, expect, test } from "vitest";
import { AsaasPage } from "../../gen/paylink/providers/v1/providers_pb.ts";
import { forFile } from "../support/for-file.ts";
import { API_KEY, connectCards, pass, PERSON, startCard, startCards } from "./card-merchant.ts";

const cards = await forFile(startCards());
const { asaas, service } = cards;
const merchant = await connectCards(cards, API_KEY, { page: AsaasPage.CHECKOUT });
const statusOf = async (paymentId: string) => (await merchant.read(paymentId))["status"];
const lastOf = (reference: string) => {
  const checkout = asaas.checkoutsOf(reference).at(-1);
  if (!checkout) throw new Error("there is no checkout");
  return checkout;
};

describe("a card on the checkout of Asaas", () => {
  test("is paid in the installments that the payer chose here, by the price that they saw", async () => {
    const { paymentId, reference, challengeUrl, payer } = await merchant.start(21);
    const total = (await payer.session()).payment?.option?.payerTotal;
    const checkout = lastOf(reference);
    expect(challengeUrl).toBe(`${asaas.origin}/checkoutSession/show/${checkout.id}`);
    expect(checkout).toMatchObject({ valueMinor: total, countMax: 21 });
    expect(checkout.asked).toMatchObject({ billingTypes: ["CREDIT_CARD"], chargeTypes: ["INSTALLMENT"] });
    const customer = asaas.account().customers.get(checkout.customerId ?? "");
    expect(customer).toMatchObject({ name: PERSON.name, notificationDisabled: true });
    await pass(cards, 31);
    expect(await statusOf(paymentId)).toBe("processing");
    asaas.payCheckout(checkout.id, { count: 21 });
    await pass(cards, 31);
    expect(await merchant.read(paymentId)).toMatchObject({
      status: "succeeded",
      installments: 21,
      amount: Number(total),
    });
  });

  test("is not paid by its first installment, before the others are in the list", async () => {
    const { paymentId, reference } = await merchant.start(3);
    asaas.payCheckout(lastOf(reference).id, { count: 3 });
    for (const { id } of asaas.paymentsOf(reference).slice(1)) asaas.hide(id, 60);
    await pass(cards, 31);
    expect(await statusOf(paymentId)).toBe("processing");
    await pass(cards, 31);
    expect(await statusOf(paymentId)).toBe("succeeded");
  });

  test("in one installment offers no other number, and in fewer than chosen costs the same", async () => {
    const [once, fewer] = [await merchant.start(1), await merchant.start(6)];
    expect(lastOf(once.reference)).toMatchObject({ countMax: 1 });
    expect(lastOf(once.reference).asked["chargeTypes"]).toEqual(["DETACHED"]);
    const { valueMinor, id } = lastOf(fewer.reference);
    asaas.payCheckout(id, { count: 2 });
    await pass(cards, 31);
    expect(await merchant.read(fewer.paymentId)).toMatchObject({
      status: "succeeded",
      amount: Number(valueMinor),
    });
  });

  test("ends with its session, and cannot be paid then", async () => {
    const { paymentId, reference } = await merchant.start(3);
    await pass(cards, 961);
    expect(await merchant.read(paymentId)).toMatchObject({
      status: "failed",
      failure_code: "payment_declined",
    });
    expect(lastOf(reference).status).toBe("EXPIRED");
    expect(
      (await fetch(`${asaas.origin}/checkoutSession/show/${lastOf(reference).id}`, { redirect: "manual" }))
        .status,
    ).toBe(303);
  });

  test("paid while it is cancelled succeeds", async () => {
    const { paymentId, reference } = await merchant.start(2);
    const act = (): void => void asaas.payCheckout(lastOf(reference).id, { count: 2 });
    asaas.fail("cancelCheckout", { kind: "before", act });
    await pass(cards, 961);
    expect(await statusOf(paymentId)).toBe("succeeded");
  });

  test("is cancelled before the payer chooses anew", async () => {
    const { payer, reference } = await merchant.start(3);
    const next = await startCard(payer, 2);
    expect(lastOf(reference).status).toBe("CANCELED");
    expect(lastOf(next.reference)).toMatchObject({ status: "ACTIVE", countMax: 2 });
    asaas.payCheckout(lastOf(next.reference).id);
    await pass(cards, 31);
    expect(await statusOf(next.paymentId)).toBe("succeeded");
  });

  test("whose answer is lost is opened anew, and the one that no payer knows ends by itself", async () => {
    asaas.fail("createCheckout", { kind: "lost" });
    const { payer, paymentId, reference } = await merchant.start(2);
    service.faults.length = 0;
    await pass(cards, 3);
    const [lost, known] = asaas.checkoutsOf(reference);
    expect((await payer.session()).payment?.challengeUrl).toContain(known?.id);
    expect(asaas.account().customers.size).toBe(
      new Set([...asaas.account().customers.values()].map(({ externalReference }) => externalReference)).size,
    );
    asaas.payCheckout(known?.id ?? "", { count: 2 });
    await pass(cards, 31);
    expect(await statusOf(paymentId)).toBe("succeeded");
    asaas.clock.advance(900);
    asaas.keepTime();
    service.clock.advance(900);
    expect(lost?.status).toBe("EXPIRED");
  });

  test("made by the start and by the worker at once leaves one, whose address the payer has", async () => {
    const { promise: until, resolve } = Promise.withResolvers<void>();
    asaas.fail("createCheckout", { kind: "held", until });
    const before = asaas.account().checkouts.size;
    const starting = merchant.start(2);
    await expect.poll(() => asaas.account().checkouts.size, { timeout: 10_000 }).toBe(before + 1);
    await pass(cards, 3);
    resolve();
    const { payer, reference } = await starting;
    const [late, first] = asaas.checkoutsOf(reference);
    await expect.poll(() => late?.status, { timeout: 10_000 }).toBe("CANCELED");
    expect(first?.status).toBe("ACTIVE");
    expect((await payer.session()).payment?.challengeUrl).toContain(first?.id);
    await startCard(payer, 3);
    expect(asaas.checkoutsOf(reference).map(({ status }) => status)).toEqual(["CANCELED", "CANCELED"]);
  });

  test("waits while the account does not have the host of the pages, and fails nobody's card", async () => {
    asaas.fail("createCheckout", {
      kind: "text",
      status: 400,
      text: '{"errors":[{"code":"invalid_callback","description":"x"}]}',
    });
    const { paymentId, challengeUrl } = await merchant.start(2);
    expect(challengeUrl).toBeUndefined();
    expect(service.faults.splice(0)).toMatchObject([{ err: { kind: "misconfigured" } }]);
    expect(await statusOf(paymentId)).toBe("processing");
  });
});
