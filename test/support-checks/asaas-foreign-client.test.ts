import { AsaasClient } from "asaas";
import { describe, expect, test } from "vitest";
import { forFile } from "../support/for-file.ts";
import { calledAsaas, KEY } from "./asaas-called.ts";

const { asaas } = await forFile(calledAsaas());
const client = new AsaasClient(KEY, { baseUrl: asaas.baseUrl, printError: false });
// It sends dates as JSON does, so it is given them as the API writes them.
const day = (text: string): Date => text as unknown as Date;

describe("a client that others wrote", () => {
  test("sells in installments, is paid, and refunds", async () => {
    const customer = await client.customers.new({
      name: "Ana",
      cpfCnpj: "24971563792",
      notificationDisabled: true,
    });
    const payment = await client.payments.new({
      customer: customer.id,
      billingType: "CREDIT_CARD",
      dueDate: day("2026-07-24"),
      value: 0,
      installmentCount: 21,
      totalValue: 2100.1,
      externalReference: "foreign-1",
    });
    const plan = String(payment?.installment);
    expect(await client.payments.list({ externalReference: "foreign-1", limit: 100 })).toMatchObject({
      totalCount: 21,
    });
    expect(await client.installments.getById(plan)).toMatchObject({ value: 2100.1, paymentValue: 100.1 });
    asaas.pay(plan);
    expect(await client.payments.getById(String(payment?.id))).toMatchObject({
      status: "CONFIRMED",
      value: 100,
    });
    expect(await client.payments.refund(String(payment?.id), { value: 40 })).toMatchObject({
      refunds: [{ value: 40 }],
    });
    await client.installments.refund(plan);
    expect(asaas.plan(plan).payments.every(({ status }) => status === "REFUNDED")).toBe(true);
  });

  test("charges by PIX, and removes a charge", async () => {
    const { id = "" } = (await client.customers.list({ limit: 1 })).data?.[0] ?? {};
    const asked = { customer: id, dueDate: day("2026-07-24"), value: 10.5 };
    const pix = await client.payments.new({ ...asked, billingType: "PIX" });
    expect(await client.payments.getPixQrCode(String(pix?.id))).toMatchObject({
      payload: expect.stringMatching(/^000201.*6304[0-9A-F]{4}$/),
    });
    const card = await client.payments.new({ ...asked, billingType: "CREDIT_CARD" });
    expect(await client.payments.delete(String(card?.id))).toEqual({ deleted: true, id: card?.id });
    const plan = await client.payments.new({
      ...asked,
      billingType: "CREDIT_CARD",
      installmentCount: 2,
      totalValue: 20,
    });
    expect(await client.installments.delete(String(plan?.installment))).toMatchObject({ deleted: true });
  });

  test("reads the fees, and makes and reads a webhook", async () => {
    expect(await client.myAccount.fees()).toMatchObject({
      payment: { creditCard: { upToTwentyOneInstallmentsPercentage: 4.29 }, pix: { fixedFeeValue: 1.99 } },
    });
    const made = await client.webhooks.create({
      name: "x",
      url: "https://shop.example.com/hook",
      email: "a@example.com",
      enabled: true,
      interrupted: false,
      sendType: "SEQUENTIALLY",
      events: ["PAYMENT_CONFIRMED"],
    });
    expect(await client.webhooks.list()).toMatchObject({ data: [{ id: made?.id, interrupted: false }] });
  });

  test("sees a refusal as such", async () => {
    const unknown = new AsaasClient("$aact_hmlg_unknown", { baseUrl: asaas.baseUrl, printError: false });
    await expect(unknown.payments.list()).rejects.toMatchObject({ response: { status: 401 } });
  });
});
