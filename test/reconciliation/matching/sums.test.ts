import { describe, expect, test } from "vitest";
import { subsetSearch } from "../../../src/reconciliation/matching/by-sum.ts";
import { account, bank, matched, our, shownDifferences, shownMatches, their } from "./sides.ts";

const bySettlement = [{ ...account, bank: { accountId: "bac_a", path: "settlement" } }] as const;
const byLine = [{ ...account, bank: { accountId: "bac_a", path: "line" } }] as const;

/** The bank's leg alone: our books have the same lines as the statement. */
const bankLeg = (found: ReturnType<typeof matched>) => ({
  matches: shownMatches({ matches: found.matches.filter(({ leg }) => leg === "bank") }),
  differences: shownDifferences({ differences: found.differences.filter(({ leg }) => leg === "bank") }),
});

describe("a payout of many", () => {
  const parts = [
    their("m1", 500, { settlementId: "st_0000001" }),
    their("m2", -20, { settlementId: "st_0000001", kind: "fee" }),
    their("m3", 300, { settlementId: "st_0000002" }),
    their("m4", 1, { settlementId: null }),
  ];

  test("is known by the provider's settlement id in the bank's text", () => {
    const found = matched({
      accounts: bySettlement,
      theirs: parts,
      bank: [bank("b1", 479, { text: "CRED ST_0000001" }), bank("b2", 300)],
    });
    expect(bankLeg(found)).toEqual({
      matches: ["amount_and_day: m3 = b2", "settlement_id: m1 + m2 = b1"],
      differences: ["amount_differs -1: m1 + m2 + b1"],
    });
  });

  test("is the sum of its settlement where the text says nothing", () => {
    const found = matched({ accounts: bySettlement, theirs: parts, bank: [bank("b1", 480)] });
    expect(bankLeg(found)).toEqual({
      matches: ["settlement_id: m1 + m2 = b1"],
      differences: ["in_transit -300: m3"],
    });
  });

  test("transfers of one settlement are one bank line", () => {
    const payout = { kind: "transfer", settlementId: "st_0000001" } as const;
    const others = { kind: "transfer", settlementId: "st_0000002" } as const;
    const found = matched({
      theirs: [their("t1", -100, payout), their("t2", -250, payout), their("t3", -350, others)],
      bank: [bank("b1", 350), bank("b2", 350, { text: "ST_0000002" })],
    });
    expect(bankLeg(found)).toEqual({
      matches: ["settlement_id: t1 + t2 = b1", "settlement_id: t3 = b2"],
      differences: [],
    });
  });
});

describe("several lines of an account that is the bank account", () => {
  test("match one bank line if exactly one choice makes its amount", () => {
    const found = matched({
      accounts: byLine,
      theirs: [their("m1", 100), their("m2", 250), their("m3", 999)],
      bank: [bank("b1", 350)],
    });
    expect(bankLeg(found)).toEqual({
      matches: ["sum_of_lines: m1 + m2 = b1"],
      differences: ["in_transit -999: m3"],
    });
  });

  test("do not if two choices do", () => {
    const found = matched({
      accounts: byLine,
      theirs: [their("m1", 100), their("m2", 250), their("m3", 150), their("m4", 200)],
      bank: [bank("b1", 350)],
    });
    expect(bankLeg(found).matches).toEqual([]);
  });

  test("do not if two bank lines need one of them", () => {
    const found = matched({
      accounts: byLine,
      theirs: [their("m1", 100), their("m2", 250), their("m3", 31)],
      bank: [bank("b1", 350), bank("b2", 131)],
    });
    expect(bankLeg(found).matches).toEqual([]);
  });

  test("of more than 24 match all together or not at all", () => {
    const theirs = Array.from({ length: 30 }, (_, index) => their(`m${index}`, 1000 + index));
    const total = theirs.reduce((sum, { amountMinor }) => sum + Number(amountMinor), 0);
    const all = bankLeg(matched({ accounts: byLine, theirs, bank: [bank("b1", total)] }));
    expect(all.matches.map((text) => text.split(":")[0])).toEqual(["day_total"]);
    expect(bankLeg(matched({ accounts: byLine, theirs, bank: [bank("b1", 2001)] })).matches).toEqual([]);
  });

  test("a payment and its fee are one net bank line that names them", () => {
    const charge = { providerPaymentId: "charge0001" };
    const found = matched({
      accounts: byLine,
      theirs: [their("m1", 100, charge), their("m2", -1, { ...charge, kind: "fee" })],
      bank: [bank("b1", 99, { text: "PIX CHARGE0001" })],
    });
    expect(bankLeg(found).matches).toEqual(["reference: m1 + m2 = b1"]);
  });
});

test("one statement line is the sum of our lines of its kind and day", () => {
  const found = matched({
    ours: [our("fee 1", -3, { kind: "fee" }), our("fee 2", -4, { kind: "fee" }), our("payment 1", 7)],
    theirs: [their("m1", -7, { kind: "fee" }), their("m2", 7)],
  });
  expect(shownMatches(found)).toEqual(["amount_and_day: payment 1 = m2", "sum_of_lines: fee 1 + fee 2 = m1"]);
});

describe("subsetSearch", () => {
  test.each([
    [[1, 2, 4], 5, [0, 2]],
    [[1, 2, 4], 8, undefined],
    [[5, 5], 5, undefined],
    [[5, 5], 10, [0, 1]],
    [[7, -2, 9], 5, [0, 1]],
    [[1], 0, undefined],
    [[], 0, undefined],
  ])("%j makes %i by %j", (amounts, sum, places) => {
    expect(subsetSearch(amounts.map(BigInt))(BigInt(sum))).toEqual(places);
  });
});
