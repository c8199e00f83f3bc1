import { describe, expect, test } from "vitest";
import { forFile } from "../support/for-file.ts";
import { refusalOf } from "../support/refusal.ts";
import type { Outcome } from "../support/pagarme/state.ts";
import {
  callBack,
  cardToken,
  connectPagarme,
  FULL_PERSON,
  KEYS,
  OTHER_KEYS,
  pass,
  referenceOf,
  startPagarmeService,
} from "./pagarme-merchant.ts";

const accounts = [
  { ...KEYS, isAntifraudOn: true },
  { ...OTHER_KEYS, isGateway: true },
];
const cards = await forFile(startPagarmeService(accounts));
const { pagarme } = cards;
const merchant = await connectPagarme(cards);

const MASTERCARD = "5162306219378829";
const AMEX = "378282246310005";
const chargeOf = (paymentId: string) => pagarme.ordersOf(referenceOf(paymentId))[0]?.charges[0]?.id ?? "";
const orderCount = () => pagarme.account(KEYS.secretKey).orders.size;

describe("case 14: a card by a token of the payer's browser", () => {
  test("is paid in 18 installments by one price to the centavo, and 19 are never offered", async () => {
    await expect(merchant.opened({ max_installments: 19 })).rejects.toThrow(
      "must be at most 18, which the card account offers",
    );
    const payer = await merchant.opened({ amount: 100_003 });
    const { options } = await payer.session();
    expect(Math.max(...options.map(({ installments }) => installments))).toBe(18);
    const shown = options.find(({ installments }) => installments === 18)?.payerTotal;
    const id = await merchant.paid(payer, 18);
    expect(await merchant.read(id)).toMatchObject({
      status: "succeeded",
      amount: Number(shown),
      installments: 18,
    });
    const { payables } = pagarme.account(KEYS.secretKey);
    const own = payables.filter(({ charge }) => charge.id === chargeOf(id));
    expect(own.reduce((sum, { amountMinor }) => sum + amountMinor, 0n)).toBe(shown);
  });

  test("is paid if it was sent before the link's end and its issuer answered a little after that", async () => {
    const payer = await merchant.opened({ expires_in: 60 });
    await pass(cards, 59);
    const token = await cardToken(pagarme);
    // The issuer takes three seconds.
    const act = (): void => {
      cards.service.clock.advance(3);
      pagarme.clock.advance(3);
    };
    pagarme.fail("createOrder", { kind: "before", act });
    const id = await merchant.paid(payer, 1, token);
    expect(await merchant.read(id)).toMatchObject({ status: "succeeded" });
    const { payment } = await payer.session();
    expect(payment?.hasException).toBe(false);
  });

  test("is offered in 21 where the contract has 24, and not below its least installment", async () => {
    const gateway = await connectPagarme(cards, {
      ...OTHER_KEYS,
      maxInstallments: 24,
      leastInstallment: 2000n,
      isWithoutAntifraud: true,
    });
    const most = async (amount: number) => {
      const { options } = await (await gateway.opened({ amount, max_installments: 21 })).session();
      return Math.max(...options.map(({ installments }) => installments));
    };
    expect(await most(100_000)).toBe(21);
    expect(await most(10_000)).toBe(5);
    const payer = await gateway.opened({ max_installments: 21 });
    const token = await cardToken(pagarme, undefined, {}, OTHER_KEYS.publicKey);
    expect((await gateway.read(await gateway.paid(payer, 21, token)))["status"]).toBe("succeeded");
  });

  test("tells Pagar.me who pays, as its antifraud needs it, and the statement who is paid", async () => {
    const id = await merchant.paid(await merchant.opened());
    const asked = pagarme.requests.findLast(({ call }) => call === "createOrder");
    expect(asked?.headers["idempotency-key"]).toBe(referenceOf(id));
    expect(JSON.parse(asked?.text ?? "")).toMatchObject({
      code: referenceOf(id),
      customer: {
        name: FULL_PERSON.name,
        email: FULL_PERSON.email,
        document: "52998224725",
        type: "individual",
        phones: { mobile_phone: { country_code: "55", area_code: "11", number: "987654321" } },
        address: { line_1: "1000, Avenida Paulista, Bela Vista", zip_code: "01310100", country: "BR" },
      },
      payments: [
        { credit_card: { installments: 1, statement_descriptor: expect.stringMatching(/^[\w ]{1,13}$/) } },
      ],
    });
  });

  test("of a payer who does not say who they are is refused before anything is sent", async () => {
    const payer = await merchant.opened();
    const before = orderCount();
    for (const field of ["name", "email", "document", "phone"] as const) {
      const refused = payer.card("token_1", 1, { payer: { ...FULL_PERSON, [field]: "" } });
      expect(await refusalOf(refused)).toMatchObject({ code: "invalid_request", param: field });
    }
    const { address: _, ...rest } = FULL_PERSON;
    expect(await refusalOf(payer.card("token_1", 1, { payer: rest }))).toMatchObject({
      param: "postal_code",
    });
    expect(orderCount()).toBe(before);
  });

  test.each<[string, string, string, boolean, string]>([
    ["51 of Visa", "4000000000000010", "651", false, "insufficient_funds"],
    ["65 of Mastercard", MASTERCARD, "665", false, "authentication_failed"],
    ["116 of American Express", AMEX, "6116", false, "insufficient_funds"],
    ["05, written 5,", "4000000000000010", "605", true, "card_declined"],
    ["54 of Visa", "4000000000000010", "654", false, "expired_card"],
  ])("declined with %s at 200 fails as that code means", async (_name, number, cvv, isZeroDropped, code) => {
    pagarme.isZeroDropped = isZeroDropped;
    const id = await merchant.paid(await merchant.opened(), 1, await cardToken(pagarme, number, { cvv }));
    pagarme.isZeroDropped = false;
    expect(await merchant.read(id)).toMatchObject({ status: "failed", failure_code: code });
  });

  test.each<[Outcome["kind"], string]>([
    ["refused_by_antifraud", "card_declined"],
    ["error", "payment_declined"],
  ])("that came to %s at 200 fails", async (kind, code) => {
    pagarme.decide({ kind });
    const id = await merchant.paid(await merchant.opened());
    expect(await merchant.read(id)).toMatchObject({ status: "failed", failure_code: code });
  });

  test.each<[Outcome["kind"], "paid" | "refused_by_antifraud", string]>([
    ["review", "paid", "succeeded"],
    ["review", "refused_by_antifraud", "failed"],
    ["processing", "paid", "succeeded"],
  ])("in %s stays so beyond its session, and is then %s", async (kind, end, status) => {
    pagarme.decide({ kind });
    const payer = await merchant.opened();
    const id = await merchant.paid(payer, 2);
    expect((await payer.session()).payment?.isUnderReview).toBe(true);
    await pass(cards, 7200);
    expect((await merchant.read(id))["status"]).toBe("processing");
    pagarme.endWaiting(chargeOf(id), { kind: end });
    await pass(cards, 4000);
    expect((await merchant.read(id))["status"]).toBe(status);
  });

  test("declined, is paid in the same session by another card at the same price", async () => {
    const payer = await merchant.opened({ amount: 100_003 });
    const declined = await merchant.paid(payer, 3, await cardToken(pagarme, undefined, { cvv: "651" }));
    const paid = await merchant.paid(payer, 3, await cardToken(pagarme, MASTERCARD));
    const [one, other] = [await merchant.read(declined), await merchant.read(paid)];
    expect([one["status"], other["status"]]).toEqual(["failed", "succeeded"]);
    expect(other["amount"]).toBe(one["amount"]);
    expect(pagarme.charge(chargeOf(paid)).paidMinor).toBe(BigInt(Number(other["amount"])));
  });

  test("shows its payer, who is back after the session's end, what became of it", async () => {
    for (const [end, text] of [
      ["paid", "Pagamento confirmado"],
      ["refused_by_antifraud", "O pagamento não foi concluído"],
    ] as const) {
      pagarme.decide({ kind: "review" });
      const payer = await merchant.opened();
      const id = await merchant.paid(payer);
      const url = `/pay/${(await payer.page()).linkId}/${payer.sessionId}`;
      const page = async () => (await cards.service.gateway.inject({ url })).body;
      await pass(cards, 1000);
      expect(await page()).toContain("Pagamento em análise");
      pagarme.endWaiting(chargeOf(id), { kind: end });
      await callBack(cards, merchant, id);
      expect(await page()).toContain(text);
    }
  });

  test("whose review does not end is freed at Pagar.me and fails", async () => {
    pagarme.decide({ kind: "review" });
    const id = await merchant.paid(await merchant.opened());
    await pass(cards, 3 * 86_400);
    expect((await merchant.read(id))["status"]).toBe("processing");
    await pass(cards, 2 * 86_400);
    expect(await merchant.read(id)).toMatchObject({ status: "failed", failure_code: "card_declined" });
    expect(pagarme.charge(chargeOf(id)).status).toBe("canceled");
  });
});

describe("case 13: a review that is approved", () => {
  test("while it is freed goes back whole, and the books have both", async () => {
    pagarme.decide({ kind: "review" });
    const id = await merchant.paid(await merchant.opened());
    const act = (): void => pagarme.endWaiting(chargeOf(id), { kind: "paid" });
    pagarme.fail("cancelCharge", { kind: "before", act });
    await pass(cards, 31);
    await pass(cards, 5 * 86_400);
    const { status, amount, refunded_amount: refunded } = await merchant.read(id);
    expect([status, refunded]).toEqual(["succeeded", amount]);
    const { paidMinor, canceledMinor } = pagarme.charge(chargeOf(id));
    expect([paidMinor, canceledMinor]).toEqual([BigInt(Number(amount)), BigInt(Number(amount))]);
  });

  test("after our end, when it could not be freed, is an exception with its refund proposed", async () => {
    pagarme.decide({ kind: "processing" });
    const payer = await merchant.opened();
    const id = await merchant.paid(payer);
    await pass(cards, 31);
    await pass(cards, 5 * 86_400);
    expect((await merchant.read(id))["status"]).toBe("failed");
    pagarme.endWaiting(chargeOf(id), { kind: "paid" });
    await callBack(cards, merchant, id);
    expect((await merchant.read(id))["status"]).toBe("failed");
    expect((await payer.session()).payment?.hasException).toBe(true);
  });
});
