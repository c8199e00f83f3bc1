import { expect, test } from "vitest";
import { DatabaseRows } from "../support/database-rows.ts";
import { forFile } from "../support/for-file.ts";
import { connectCards, startCards } from "./card-merchant.ts";
import { MoneyBack } from "./money-back.ts";

const cards = await forFile(startCards());
const { asaas, service } = cards;
const rows = await forFile(new DatabaseRows(service.databaseUrl).open());
const money = new MoneyBack(cards, await connectCards(cards), rows);

test.each([
  ["busy", { kind: "busy", retryAfter: null }],
  ["refused", { kind: "status", status: 401 }],
  ["cut off", { kind: "cut" }],
] as const)(
  "a refund of a card whose look after it is %s was made, and is not asked for again",
  async (_, fault) => {
    const { id, reference } = await money.paid();
    asaas.fail("refundPayment", { kind: "after", act: () => asaas.fail("listRefunds", fault) });
    await money.refund(id, { amount: 500 });
    service.faults.splice(0);
    // The list does not have it yet.
    const none = JSON.stringify({ object: "list", hasMore: false, totalCount: 0, data: [] });
    asaas.fail("listRefunds", { kind: "text", status: 200, text: none });
    for (const seconds of [40, 60, 120]) await money.checked(seconds);
    service.faults.splice(0);
    await money.checked(600);
    expect([money.requestsFor(reference), money.givenBack(reference)]).toEqual([1, 500n]);
    expect(await money.refundsOf(id)).toEqual(["500 succeeded"]);
  },
);

test.each([
  ["of a card", 1, 30_000n],
  ["of a plan", 3, 30_000n],
])(
  "a refund %s that Asaas carries out twice succeeds, and the second one is a return",
  async (_, count, each) => {
    const { id, reference } = await money.paid(count);
    asaas.fail(count === 1 ? "refundPayment" : "refundPlan", { kind: "twice" });
    await money.refund(id, { amount: Number(each) });
    for (const seconds of [40, 60]) await money.checked(seconds);
    expect(money.givenBack(reference)).toBe(2n * each);
    expect(await money.refundsOf(id)).toEqual([`${each} succeeded`]);
    for (let again = 0; again < 2; again++) await money.tell(reference);
    expect(await money.goneOf(id)).toBe(Number(2n * each));
    expect(await money.eventsOf(id)).toEqual(["payment.succeeded", "refund.succeeded", "payment.returned"]);
    expect(service.faults.splice(0).map((fault) => Object.keys(fault as object).toSorted())).toEqual([
      ["mode", "payment_id", "refund_id"],
    ]);
    expect(await money.refundsOf(id)).toEqual([`${each} succeeded`]);
    expect(await money.problems()).toEqual([]);
  },
);

test("a second refund that Asaas denies, or carries out later, counts as what it is", async () => {
  const [denied, late] = [await money.paid(), await money.paid()];
  for (const { id, reference } of [denied, late]) {
    asaas.refundRules.outcome = "PENDING";
    asaas.fail("refundPayment", { kind: "twice" });
    await money.refund(id, { amount: 500 });
    const refunds = asaas.payment(money.firstOf(reference)).refunds;
    Object.assign(refunds[0] ?? {}, { status: "DONE" });
    await money.checked(60);
    expect(await money.refundsOf(id)).toEqual(["500 processing"]);
    asaas.endRefunds(money.firstOf(reference), id === denied.id ? "CANCELLED" : "DONE");
    await money.checked(120);
    await money.tell(reference);
    expect(await money.refundsOf(id)).toEqual(["500 succeeded"]);
  }
  asaas.refundRules.outcome = "DONE";
  service.faults.splice(0);
  expect([await money.goneOf(denied.id), await money.goneOf(late.id)]).toEqual([500, 1000]);
  expect(await money.problems()).toEqual([]);
});
