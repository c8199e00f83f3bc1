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
