import { beforeEach, describe, expect, test } from "vitest";
import { forFile } from "../support/for-file.ts";
import { AMEX, basic, calledPagarme, GATEWAY, MASTERCARD, NOW, SECRET, type Body } from "./pagarme-called.ts";

const { pagarme, call, order, token } = await forFile(calledPagarme());
beforeEach(() => {
  pagarme.clock.set(NOW);
  pagarme.faults.clear();
  pagarme.refundRules.outcome = "done";
});

const chargeOf = ({ body }: { body: Body }): Body => body.charges[0];
const lastOf = (answer: { body: Body }): Body => chargeOf(answer).last_transaction;

describe("an order", () => {
  test("is paid, with the result in its body and amounts in centavos", async () => {
    const made = await order({
      code: "paid-1",
      creditCard: { installments: 18, statement_descriptor: "LOJA" },
    });
    expect(made.status).toBe(200);
    expect(made.body).toMatchObject({ code: "paid-1", amount: 10_001, status: "paid", currency: "BRL" });
    expect(chargeOf(made)).toMatchObject({ code: "paid-1", status: "paid", paid_amount: 10_001 });
    expect(lastOf(made)).toMatchObject({
      status: "captured",
      success: true,
      installments: 18,
      acquirer_return_code: "00",
      card: { brand: "Visa", last_four_digits: "0010", first_six_digits: "400000" },
      gateway_response: { code: "200", errors: [] },
    });
    expect((await call("GET", "/orders?code=paid-1")).body).toMatchObject({
      data: [{ id: made.body.id }],
      paging: { total: 1 },
    });
    expect((await call("GET", "/charges?code=paid-1")).body.data).toMatchObject([
      { order: { id: made.body.id } },
    ]);
    expect((await call("GET", `/charges/${chargeOf(made).id}`)).body.status).toBe("paid");
  });

  test.each<[string, string, object]>([
    ["05", "Visa", { number: "4000000000000028" }],
    ["51", "Visa", { cvv: "651" }],
    ["65", "Mastercard", { number: MASTERCARD, cvv: "665" }],
    ["116", "Amex", { number: AMEX, cvv: "6116" }],
  ])("is declined at 200 with %s of %s", async (code, brand, card) => {
    const made = await order({ card });
    expect([made.status, made.body.status, chargeOf(made).status]).toEqual([200, "failed", "failed"]);
    expect(lastOf(made)).toMatchObject({
      status: "not_authorized",
      success: false,
      acquirer_return_code: code,
      card: { brand },
    });
  });

  test("has a code without its zero where the gateway drops it", async () => {
    pagarme.isZeroDropped = true;
    expect(lastOf(await order({ card: { number: "4000000000000028" } })).acquirer_return_code).toBe("5");
    pagarme.isZeroDropped = false;
  });

  test("waits for its acquirer, and is then paid or not", async () => {
    const [good, bad] = [
      await order({ card: { number: "4000000000000036" } }),
      await order({ card: { number: "4000000000000044" } }),
    ];
    expect([good.body.status, chargeOf(good).status, lastOf(good).status]).toEqual([
      "pending",
      "processing",
      "with_error",
    ]);
    pagarme.endWaiting(chargeOf(good).id, { kind: "paid" });
    pagarme.endWaiting(chargeOf(bad).id, { kind: "declined", code: "91" });
    expect((await call("GET", `/orders/${good.body.id}`)).body.status).toBe("paid");
    expect((await call("GET", `/orders/${bad.body.id}`)).body.status).toBe("failed");
  });

  test("is reviewed by the antifraud, and then paid, refused or canceled", async () => {
    pagarme.decide({ kind: "review" }, { kind: "review" }, { kind: "review" });
    const [paid, refused, canceled] = [await order(), await order(), await order()].map(
      (made) => chargeOf(made).id,
    );
    pagarme.endWaiting(paid, { kind: "paid" });
    pagarme.endWaiting(refused, { kind: "refused_by_antifraud" });
    await call("DELETE", `/charges/${canceled}`);
    const found = await Promise.all([paid, refused, canceled].map((id) => call("GET", `/charges/${id}`)));
    expect(found.map(({ body }) => [body.status, body.last_transaction.status])).toEqual([
      ["paid", "captured"],
      ["failed", "failed"],
      ["canceled", "voided"],
    ]);
    expect(found[1]?.body.last_transaction.antifraud_response.status).toBe("reproved");
  });

  test("is refused by the antifraud for a payer whom the documents name", async () => {
    const customer = { name: "Ana", email: "a@example.com", document: "11111111111", type: "individual" };
    expect(lastOf(await order({ fields: { customer } })).antifraud_response.status).toBe("reproved");
  });

  test("reserves, and is then captured or voided", async () => {
    const creditCard = { operation_type: "auth_only" };
    const [taken, voided] = [
      chargeOf(await order({ creditCard })).id,
      chargeOf(await order({ creditCard })).id,
    ];
    expect((await call("GET", `/charges/${taken}`)).body.last_transaction.status).toBe(
      "authorized_pending_capture",
    );
    expect((await call("POST", `/charges/${taken}/capture`)).body.status).toBe("paid");
    expect((await call("DELETE", `/charges/${voided}`)).body).toMatchObject({
      status: "canceled",
      last_transaction: { status: "voided" },
    });
    expect((await call("POST", `/charges/${voided}/capture`)).status).toBe(412);
  });

  test.each<[string, Parameters<typeof order>[0]]>([
    ["order.items", { fields: { items: [] } }],
    ["order.items[0].amount", { fields: { items: [{ amount: 10.5, description: "x", quantity: 1 }] } }],
    ["order.customer", { fields: { customer: null } }],
    ["order.code", { code: "x".repeat(53) }],
    ["order.payments[0].credit_card.installments", { creditCard: { installments: 19 } }],
    [
      "order.payments[0].credit_card.statement_descriptor",
      { creditCard: { statement_descriptor: "x".repeat(14) } },
    ],
    ["order.payments[0].credit_card.card_token", { token: "token_unknown" }],
    ["order.payments[0].credit_card.card", { creditCard: { card: { number: "4000000000000010" } } }],
  ])("is refused for its %s", async (field, options) => {
    const { status, body } = await order({ code: "refused-1", ...options });
    expect([status, Object.keys(body.errors)]).toEqual([422, [field]]);
    expect(pagarme.ordersOf("refused-1")).toEqual([]);
  });

  test("takes 24 installments and demands the payer of a gateway with antifraud", async () => {
    const headers = basic(GATEWAY);
    const refused = await order({ headers, creditCard: { installments: 24 } });
    expect(Object.keys(refused.body.errors)).toEqual(["order.customer.phones"]);
  });
});

describe("an idempotency key", () => {
  test("gives the first answer again for 24 hours, and no second order", async () => {
    const first = await order({ code: "key-1", key: "k1" });
    expect((await order({ code: "key-1", key: "k1" })).text).toBe(first.text);
    expect(pagarme.ordersOf("key-1")).toHaveLength(1);
    await order({ code: "key-1", key: "K1" });
    pagarme.clock.advance(24 * 3600);
    await order({ code: "key-1", key: "k1" });
    expect(pagarme.ordersOf("key-1")).toHaveLength(3);
  });

  test("gives a declined card's answer again too", async () => {
    const first = await order({ code: "key-2", key: "k2", card: { cvv: "651" } });
    expect((await order({ code: "key-2", key: "k2" })).text).toBe(first.text);
  });

  test("finds the order whose answer was lost", async () => {
    const given = { code: "lost-1", key: "k3", token: await token() };
    pagarme.fail("createOrder", { kind: "lost" });
    await expect(order(given)).rejects.toThrow("fetch failed");
    expect((await call("GET", "/orders?code=lost-1")).body.data).toHaveLength(1);
    expect((await order(given)).body).toMatchObject({ status: "paid" });
    expect(pagarme.ordersOf("lost-1")).toHaveLength(1);
  });
});

test.each([
  ["a wrong key", basic("sk_test_wrong")],
  ["a password", { authorization: `Basic ${Buffer.from(`${SECRET}:x`).toString("base64")}` }],
  ["no key", { authorization: "" }],
])("%s is refused", async (_, headers) => {
  expect((await call("GET", "/orders", undefined, headers)).status).toBe(401);
});

test("an order of another account is not found", async () => {
  const { body } = await order();
  expect((await call("GET", `/orders/${body.id}`, undefined, basic(GATEWAY))).status).toBe(404);
});
