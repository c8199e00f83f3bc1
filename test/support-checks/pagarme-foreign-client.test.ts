import { Agent } from "node:https";
import { connect } from "node:net";
import type { Duplex } from "node:stream";
import {
  ChargesController,
  Client,
  CustomError,
  OrdersController,
  PayablesController,
  TokensController,
  type CreateOrderRequest,
} from "@pagarme/pagarme-nodejs-sdk";
import { describe, expect, test } from "vitest";
import { forFile } from "../support/for-file.ts";
import { calledPagarme, PUBLIC, SECRET } from "./pagarme-called.ts";

const { pagarme } = await forFile(calledPagarme());

/** The provider's own client knows its own address alone: what it sends there goes to ours, without TLS. */
class Elsewhere extends Agent {
  override createConnection(): Duplex {
    return connect(Number(new URL(pagarme.origin).port), "127.0.0.1");
  }
}

const clientOf = (secret: string): Client =>
  new Client({
    basicAuthCredentials: { username: secret, password: "" },
    httpClientOptions: { httpsAgent: new Elsewhere() },
    timeout: 0,
  });
const client = clientOf(SECRET);
const orders = new OrdersController(client);
const charges = new ChargesController(client);

const token = async (cvv = "123"): Promise<string> => {
  const card = {
    number: "4000000000000010",
    holderName: "ANA",
    expMonth: 12,
    expYear: 30,
    cvv,
    brand: "",
    label: "",
  };
  const { result } = await new TokensController(client).createToken(PUBLIC, { type: "card", card });
  return result.id ?? "";
};

const asked = (code: string, cardToken: string, installments = 12): CreateOrderRequest => ({
  code,
  closed: true,
  items: [{ amount: 10_001, description: "Curso", quantity: 1, category: "x", code: "1" }],
  customer: {
    name: "Ana",
    email: "ana@example.com",
    document: "24971563792",
    type: "individual",
    code: "1",
    metadata: {},
    address: {
      street: "",
      number: "",
      zipCode: "01310000",
      neighborhood: "",
      city: "São Paulo",
      state: "SP",
      country: "BR",
      complement: "",
      line1: "1, Rua A",
      line2: "",
    },
    phones: { mobilePhone: { countryCode: "55", areaCode: "11", number: "999998888" } },
  },
  payments: [
    { paymentMethod: "credit_card", creditCard: { installments, cardToken, statementDescriptor: "LOJA" } },
  ],
  metadata: { link: "1" },
});

describe("the provider's own client", () => {
  test("sells, finds the order by its code and key, and refunds it", async () => {
    const request = asked("sdk-1", await token());
    const { result: made, statusCode } = await orders.createOrder(request, "sdk-key-1");
    expect(statusCode).toBe(200);
    expect(made).toMatchObject({ code: "sdk-1", status: "paid", amount: 10_001, metadata: { link: "1" } });
    const charge = made.charges?.[0];
    expect(charge).toMatchObject({ status: "paid", paidAmount: 10_001 });
    expect(charge?.lastTransaction).toMatchObject({
      transactionType: "credit_card",
      status: "captured",
      installments: 12,
      acquirerReturnCode: "00",
      card: { brand: "Visa", lastFourDigits: "0010" },
    });
    expect((await orders.createOrder(request, "sdk-key-1")).result.id).toBe(made.id);
    expect((await orders.getOrders(1, 10, "sdk-1")).result).toMatchObject({
      data: [{ id: made.id }],
      paging: { total: 1 },
    });
    const chargeId = charge?.id ?? "";
    expect((await charges.getCharges(1, 10, "sdk-1")).result.data).toMatchObject([{ id: chargeId }]);
    const canceled = await charges.cancelCharge(chargeId, { amount: 1, operationReference: "1" });
    expect(canceled.result).toMatchObject({ status: "paid", canceledAmount: 1 });
    await charges.cancelCharge(chargeId, { operationReference: "2" });
    expect((await charges.getCharge(chargeId)).result).toMatchObject({
      status: "canceled",
      order: { id: made.id },
    });
  });

  test("reads each installment of what a merchant gets", async () => {
    const { result } = await orders.createOrder(asked("sdk-2", await token(), 18));
    const chargeId = result.charges?.[0]?.id ?? "";
    const found = await new PayablesController(client).getPayables(
      "credit",
      undefined,
      undefined,
      undefined,
      undefined,
      chargeId,
      undefined,
      undefined,
      undefined,
      undefined,
      undefined,
      undefined,
      undefined,
      100,
    );
    const amounts = found.result.data?.map(({ amount }) => amount) ?? [];
    expect([amounts.length, amounts.reduce((sum, amount) => sum + amount, 0)]).toEqual([18, 10_001]);
  });

  test("sees a declined card as an answer, and a refusal as an error", async () => {
    const { result } = await orders.createOrder(asked("sdk-3", await token("651")));
    expect(result.charges?.[0]?.lastTransaction).toMatchObject({
      status: "not_authorized",
      acquirerReturnCode: "51",
    });
    const refused = orders.createOrder(asked("sdk-4", await token(), 19));
    await expect(refused).rejects.toBeInstanceOf(CustomError);
    await expect(refused).rejects.toMatchObject({
      statusCode: 422,
      result: {
        message: "The request is invalid.",
        errors: { "order.payments[0].credit_card.installments": expect.any(Array) },
      },
    });
    const unknown = new OrdersController(clientOf("sk_test_wrong")).getOrders();
    await expect(unknown).rejects.toMatchObject({ statusCode: 401 });
  });

  test("shows a token, and all that was tried with a charge", async () => {
    const id = await token();
    const shown = await new TokensController(client).getToken(id, PUBLIC);
    expect(shown.result).toMatchObject({ id, card: { lastFourDigits: "0010" } });
    const { result } = await orders.createOrder(asked("sdk-6", id));
    const chargeId = result.charges?.[0]?.id ?? "";
    await charges.cancelCharge(chargeId, { amount: 500, operationReference: "" });
    const { result: tried } = await charges.getChargeTransactions(chargeId);
    expect(tried.data?.map(({ status, amount }) => [status, amount])).toEqual([
      ["partial_refunded", 500],
      ["captured", 10_001],
    ]);
  });

  test("loses an answer, and finds what was stored", async () => {
    pagarme.fail("createOrder", { kind: "html", status: 502 });
    await expect(orders.createOrder(asked("sdk-5", await token()), "sdk-key-5")).rejects.toMatchObject({
      statusCode: 502,
    });
    expect((await orders.getOrders(1, 10, "sdk-5")).result.data).toMatchObject([{ status: "paid" }]);
  });
});
