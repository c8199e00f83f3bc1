import { beforeEach, describe, expect, test } from "vitest";
import { forFile } from "../support/for-file.ts";
import { calledAsaas, NOW, OTHER_KEY, refused, type Body } from "./asaas-called.ts";

// Each of these is a fact of the real sandbox, seen in answers that others captured in July 2026, or of the official
// document where the captures are silent.
const { asaas, call, charge } = await forFile(calledAsaas());
beforeEach(() => asaas.clock.set(NOW));

const FIELDS =
  "object id dateCreated customer checkoutSession paymentLink value netValue originalValue interestValue description " +
  "billingType confirmedDate creditCard pixTransaction status dueDate originalDueDate paymentDate clientPaymentDate " +
  "installmentNumber invoiceUrl invoiceNumber externalReference deleted anticipated anticipable creditDate " +
  "estimatedCreditDate transactionReceiptUrl nossoNumero bankSlipUrl lastInvoiceViewedDate lastBankSlipViewedDate " +
  "discount fine interest postalService escrow refunds";

const values = async (planId: string): Promise<Body[]> =>
  (await call("GET", `/payments?installment=${planId}&limit=100`)).body.data;

describe("a payment", () => {
  test("answers 200, never 201, with its fee of 0.49 and 2.99 %", async () => {
    const { status, body, text } = await charge({ value: 100 });
    expect(status).toBe(200);
    expect(body).toMatchObject({ object: "payment", status: "PENDING", value: 100, netValue: 96.52 });
    expect(body).toMatchObject({ installmentNumber: null, refunds: null, creditDate: null, deleted: false });
    expect(text).toContain('"value":100.00,');
  });

  test("rounds half a centavo of its fee up", async () => {
    expect((await charge({ value: 99.5 })).body.netValue).toBe(96.03);
  });

  test("has no key for a relation that it has not, nor cards' keys if it is by PIX", async () => {
    const card = (await charge({ value: 100 })).body;
    expect(Object.keys(card)).not.toContain("installment");
    expect(card).toMatchObject({ creditCard: null, confirmedDate: null });
    const pix = (await charge({ value: 100, billingType: "PIX" })).body;
    expect(Object.keys(pix)).not.toContain("creditCard");
    expect(Object.keys(pix)).not.toContain("confirmedDate");
    expect(pix.netValue).toBe(98.01);
  });

  test("by card is confirmed at once and credited 32 days later, on a day when banks work", async () => {
    const { id } = (await charge({ value: 100 })).body;
    asaas.pay(id);
    expect((await call("GET", `/payments/${id}`)).body).toMatchObject({
      status: "CONFIRMED",
      confirmedDate: "2026-07-14",
      clientPaymentDate: "2026-07-14",
      paymentDate: null,
      creditDate: "2026-08-17",
      estimatedCreditDate: "2026-08-17",
      creditCard: { creditCardNumber: "4444", creditCardBrand: "VISA" },
    });
    asaas.clock.set(new Date("2026-08-17T12:00:00Z"));
    expect((await call("GET", `/payments/${id}`)).body).toMatchObject({
      status: "RECEIVED",
      paymentDate: "2026-08-17",
    });
  });

  test("by PIX is received at once, and its code lives until a year after the due date", async () => {
    const { id } = (await charge({ value: 100, billingType: "PIX", dueDate: "2026-08-20" })).body;
    const code = (await call("GET", `/payments/${id}/pixQrCode`)).body;
    expect(code).toMatchObject({ success: true, expirationDate: "2027-08-20 23:59:59" });
    asaas.pay(id);
    expect((await call("GET", `/payments/${id}`)).body.status).toBe("RECEIVED");
  });

  test("by PIX is refunded from the balance alone, which lacks the fee", async () => {
    const { id } = (await charge({ value: 100, billingType: "PIX" }, OTHER_KEY)).body;
    asaas.pay(id);
    const refund = async (value: number) =>
      await call("POST", `/payments/${id}/refund`, { value }, { access_token: OTHER_KEY });
    expect(await refund(100)).toMatchObject(refused("invalid_action"));
    expect((await refund(98.01)).status).toBe(200);
  });

  test("has the fields of a captured one, and no others", async () => {
    const { body } = await charge({ value: 100 });
    expect(Object.keys(body).toSorted()).toEqual(FIELDS.split(" ").toSorted());
  });

  test("is overdue the day after its due date", async () => {
    const { id } = (await charge({ value: 100 })).body;
    asaas.clock.set(new Date("2026-07-25T12:00:00Z"));
    expect((await call("GET", `/payments/${id}/status`)).body).toEqual({ status: "OVERDUE" });
  });
});

describe("a plan", () => {
  test("is answered by its first payment, and has what a division leaves in its last one", async () => {
    const { status, body } = await charge({ installmentCount: 12, totalValue: 350 });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      object: "payment",
      installmentNumber: 1,
      value: 29.16,
      description: "Parcela 1 de 12.",
    });
    const listed = await values(body.installment);
    expect(listed.map(({ installmentNumber }) => installmentNumber)).toEqual([
      12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1,
    ]);
    expect(listed.map(({ value }) => value)).toEqual([29.24, ...Array.from({ length: 11 }, () => 29.16)]);
    expect(listed[0]).toMatchObject({ dueDate: "2027-06-24", netValue: 28.04 });
    expect((await call("GET", `/installments/${body.installment}`)).body).toMatchObject({
      object: "installment",
      value: 350,
      paymentValue: 29.24,
      installmentCount: 12,
      expirationDay: 24,
      paymentDate: null,
    });
  });

  test("is confirmed whole by one card, with the fee of its total, split and cut", async () => {
    const { installment } = (await charge({ installmentCount: 3, totalValue: 300 })).body;
    asaas.pay(installment);
    const listed = await values(installment);
    expect(listed.map(({ netValue }) => netValue)).toEqual([96.35, 96.35, 96.35]);
    expect(listed.map(({ creditDate }) => creditDate)).toEqual(["2026-10-19", "2026-09-16", "2026-08-17"]);
    expect((await call("GET", `/installments/${installment}`)).body).toMatchObject({
      netValue: 289.05,
      paymentDate: "2026-07-14",
      creditCard: { creditCardBrand: "VISA" },
    });
  });

  test("has at most 21 installments of at least five reais", async () => {
    expect((await charge({ installmentCount: 21, totalValue: 105 })).status).toBe(200);
    expect(await charge({ installmentCount: 22, totalValue: 500 })).toMatchObject(
      refused("invalid_installmentCount"),
    );
    expect(await charge({ installmentCount: 21, totalValue: 104.99 })).toMatchObject(
      refused("invalid_totalValue"),
    );
    expect(await charge({ value: 4.99 })).toMatchObject(refused("invalid_value"));
  });
});

describe("a refusal", () => {
  test("has one error, of the first thing that is wrong", async () => {
    expect(await call("POST", "/payments", {})).toMatchObject(refused("invalid_customer"));
    const wrong = { name: "X", cpfCnpj: "11111111111" };
    expect(await call("POST", "/customers", wrong)).toMatchObject(refused("invalid_object"));
  });

  test.each<[string, string, object]>([
    ["invalid_billingType", "an unknown way", { value: 10, billingType: "CASH" }],
    ["invalid_dueDate", "a day in the past", { value: 10, dueDate: "2026-07-13" }],
    ["invalid_dueDate", "a day that is none", { value: 10, dueDate: "2026-02-30" }],
    ["invalid_value", "an amount as text", { value: "10.00" }],
    ["invalid_value", "three decimals", { value: 10.001 }],
    ["invalid_description", "a long text", { value: 10, description: "x".repeat(501) }],
    [
      "invalid_callback",
      "another domain",
      { value: 10, callback: { successUrl: "https://evil.example.com/" } },
    ],
  ])("%s is that of %s", async (code, _, terms) => {
    expect(await charge(terms)).toMatchObject(refused(code));
  });

  test.each([
    ["access_token_not_found", ""],
    ["invalid_environment", "$aact_prod_000test"],
    ["invalid_access_token_format", "test"],
    ["invalid_access_token", "$aact_hmlg_unknown"],
  ])("%s is that of the key «%s»", async (code, key) => {
    const answer = await call("GET", "/finance/balance", undefined, { access_token: key });
    expect(answer).toMatchObject({ status: 401, body: { errors: [{ code }] } });
  });

  test("of a payment of another account says that there is none", async () => {
    const { id } = (await charge({ value: 100 })).body;
    const answer = await call("GET", `/payments/${id}`, undefined, { access_token: OTHER_KEY });
    expect(answer).toMatchObject({ status: 404, body: { errors: [{ code: "not_found" }] } });
  });
});

test("amounts may be written without their zeros, as the real one may", async () => {
  asaas.amountForm = "shortest";
  expect((await charge({ value: 100.5 })).text).toContain('"value":100.5,');
  asaas.amountForm = "two_decimals";
});
