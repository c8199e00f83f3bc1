import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { STATUSES } from "../../contract/error-codes.ts";
import { wordsOf } from "../../contract/enum-words.ts";
import { DELIVERED_TYPES } from "../../contract/event-types.ts";
import { TEST_CARDS } from "../../gateway/checkout/views/typed-card.ts";
import { DeclineCode } from "../../gen/paylink/ledger/v1/ledger_pb.ts";
import { SimulatedAftermath } from "../../gen/paylink/links/v1/links_pb.ts";
import { DECLINE_CODES } from "../../src/links/simulated-outcome.ts";
import { LATE_CODES } from "../../src/providers/sandbox/late-answer.ts";
import { REHEARSED_REFUNDS } from "../../src/providers/sandbox/rehearsed-refund.ts";

const page = readFileSync(join(import.meta.dirname, "..", "..", "docs", "merchants.md"), "utf8");

const REAIS = /^\d+,\d\d$/;

/** Returns the first cells of the rows of the table that has this title. */
function rowsUnder(title: string): string[][] {
  const [, table = ""] = page.split(`| ${title} |`);
  const [rows = ""] = table.trimEnd().split("\n\n", 1);
  return rows
    .split("\n")
    .slice(2)
    .map((row) => row.split("|").map((cell) => cell.trim().replaceAll("`", "")));
}

test("the guide says what to do about each error, with its status", () => {
  const rows = rowsUnder("code | status").map(([, code, status]) => [code, Number(status)]);
  expect(Object.fromEntries(rows)).toEqual(STATUSES);
});

test("the guide says what to do about each event", () => {
  const rows = rowsUnder("event | what happened").map(([, event]) => event);
  expect(new Set(rows)).toEqual(new Set(DELIVERED_TYPES));
});

test("the guide has each decline code, how it is had and its test card", () => {
  const rows = rowsUnder("decline code | by Pix");
  const codes = rows.map(([, code]) => code);
  expect(new Set(codes)).toEqual(new Set(wordsOf(DeclineCode).all));
  for (const [index, method] of [
    [2, "pix"],
    [3, "card"],
  ] as const) {
    const own = rows.filter((row) => row[index] !== "" && row[1] !== "pix_expired");
    expect(new Set(own.map(([, code]) => code))).toEqual(new Set(DECLINE_CODES[method]));
  }
  const cards = Object.fromEntries(TEST_CARDS.map(([number, token]) => [token, number]));
  for (const [, code, , , card = ""] of rows.filter((row) => row[4] !== "")) {
    expect(cards[`tok_${code}`]).toBe(digitsOf(card));
  }
  expect(rows.filter((row) => row[3] !== "" && row[4] === "")).toEqual([]);
});

test("the guide has the amounts of refunds that do not succeed at once", () => {
  const amounts = rowsUnder("refund of | outcome").map(([, amount]) => BigInt(amount ?? ""));
  expect(amounts).toEqual(Object.values(REHEARSED_REFUNDS));
});

test("the guide has each aftermath with events that are sent", () => {
  const rows = rowsUnder("afterwards | by");
  expect(rows.map(([, word]) => word)).toEqual(wordsOf(SimulatedAftermath).all);
  const events = rows.flatMap(([, , , types = ""]) => types.split(", "));
  expect(new Set(events).difference(new Set(DELIVERED_TYPES))).toEqual(new Set());
});

test("the guide has the cards and Pix totals that are answered late, and every other card", () => {
  const rows = rowsUnder("card, or Pix total").map(([, first = ""]) => first);
  const declines = rowsUnder("decline code | by Pix").flatMap(([, , , , card = ""]) => digitsOf(card) || []);
  const [totals, cards] = [rows.filter((one) => REAIS.test(one)), rows.filter((one) => !REAIS.test(one))];
  expect(totals.map((one) => BigInt(one.replace(",", "")))).toEqual([...LATE_CODES.keys()]);
  const all = [...cards.map(digitsOf), ...declines];
  expect(all.toSorted()).toEqual(TEST_CARDS.map(([number]) => number).toSorted());
});

function digitsOf(card: string): string {
  return card.replaceAll(" ", "");
}
