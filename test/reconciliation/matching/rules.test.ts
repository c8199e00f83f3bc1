import { describe, expect, test } from "vitest";
import {
  account,
  bank,
  DAY,
  LATER,
  matched,
  NEXT,
  our,
  shownDifferences,
  shownMatches,
  their,
} from "./sides.ts";

const E2E = "E00000000202611031200abcdefghijk";
const OTHER_E2E = "E00000000202611031200zzzzzzzzzzz";
const RETURN_E2E = "D00000000202611031200abcdefghijk";

describe("by id", () => {
  test("an end-to-end id matches over days and accounts of time, whatever else is said", () => {
    const found = matched({
      days: [DAY, NEXT],
      ours: [our("payment pay_1", 500, { endToEndId: E2E, reference: "tx1" })],
      theirs: [their("m1", 500, { endToEndId: E2E.toLowerCase(), reference: "tx2", day: NEXT })],
    });
    expect(shownMatches(found)).toEqual(["end_to_end_id: payment pay_1 = m1"]);
    expect(found.matches.map(({ isMoved }) => isMoved)).toEqual([true]);
    expect(found.differences).toEqual([]);
  });

  test("an end-to-end id in the text of either line does, too", () => {
    const found = matched({
      ours: [our("payment pay_1", 500, { endToEndId: E2E })],
      theirs: [their("m1", 500, { text: `PIX RECEBIDO ${E2E}` })],
    });
    expect(shownMatches(found)).toEqual(["end_to_end_id: payment pay_1 = m1"]);
  });

  test.each([
    ["our payment's id as its reference", { paymentId: "pay_01k9example" }, { reference: "pay_01k9example" }],
    [
      "our payment's id in its text",
      { paymentId: "pay_01k9example" },
      { text: "PIX de PAY_01K9EXAMPLE, ok" },
    ],
    ["the txid", { reference: "tx1" }, { reference: "tx1" }],
    ["the txid in its text", { reference: "txid00000001" }, { text: "PIX txid00000001" }],
    ["the provider's own id", { providerPaymentId: "12345" }, { providerPaymentId: "12345" }],
  ])("a line names %s", (_, ours, theirs) => {
    const found = matched({ ours: [our("payment 1", 500, ours)], theirs: [their("m1", 500, theirs)] });
    expect(shownMatches(found)).toEqual(["reference: payment 1 = m1"]);
  });

  test("a refund's id goes before that of its payment", () => {
    const refund = { kind: "refund", paymentId: "pay_01k9example" } as const;
    const found = matched({
      ours: [our("refund rfd_01k9aaaa", -500, refund), our("refund rfd_01k9bbbb", -500, refund)],
      theirs: [
        their("m1", -500, { kind: "refund", text: "pay_01k9example rfd_01k9bbbb" }),
        their("m2", -500, { kind: "return", text: "pay_01k9example rfd_01k9aaaa" }),
      ],
    });
    expect(shownMatches(found)).toEqual([
      "reference: refund rfd_01k9aaaa = m2",
      "reference: refund rfd_01k9bbbb = m1",
    ]);
  });

  test("a return's own id does not contradict the payment's", () => {
    const found = matched({
      ours: [our("refund 1", -500, { kind: "refund", endToEndId: E2E, reference: "tx1" })],
      theirs: [their("m1", -500, { kind: "return", endToEndId: RETURN_E2E, reference: "tx1" })],
    });
    expect(shownMatches(found)).toEqual(["reference: refund 1 = m1"]);
  });

  test("a reference that is used again does not match another end-to-end id", () => {
    const found = matched({
      days: [DAY, NEXT],
      ours: [our("payment 1", 500, { endToEndId: E2E, reference: "static" })],
      theirs: [their("m1", 500, { endToEndId: OTHER_E2E, reference: "static" })],
    });
    expect(shownDifferences(found)).toEqual(["missing_here 500: m1", "missing_there -500: payment 1"]);
  });

  test("a payment, its fee and its refund share an id and are three matches", () => {
    const charge = { providerPaymentId: "ch_1" };
    const found = matched({
      ours: [
        our("payment 1", 500, charge),
        our("fee 1", -5, { ...charge, kind: "fee" }),
        our("refund 1", -500, { ...charge, kind: "refund" }),
      ],
      theirs: [
        their("m1", 500, charge),
        their("m2", -5, { ...charge, kind: "fee" }),
        their("m3", -500, { ...charge, kind: "refund" }),
      ],
    });
    expect(shownMatches(found)).toEqual([
      "reference: fee 1 = m2",
      "reference: payment 1 = m1",
      "reference: refund 1 = m3",
    ]);
  });

  test("installments go by their number, and by amount where the provider says none", () => {
    const charge = { kind: "installment", providerPaymentId: "ch_1" } as const;
    const ours = [
      our("installment 1", 334, { ...charge, installment: 1 }),
      our("installment 2", 333, { ...charge, installment: 2 }),
    ];
    const numbered = [
      their("m2", 333, { ...charge, installment: 2 }),
      their("m1", 335, { ...charge, installment: 1 }),
    ];
    expect(shownDifferences(matched({ ours, theirs: numbered }))).toEqual([
      "amount_differs 1: installment 1 + m1",
    ]);
    const unnumbered = [their("m2", 333, charge), their("m1", 334, charge)];
    expect(shownMatches(matched({ ours, theirs: unnumbered }))).toEqual([
      "reference: installment 1 = m1",
      "reference: installment 2 = m2",
    ]);
  });

  test("an anticipation is its installment", () => {
    const charge = { providerPaymentId: "ch_1", installment: 2 };
    const found = matched({
      ours: [our("installment 2", 333, { ...charge, kind: "installment", day: LATER })],
      theirs: [their("m1", 333, { ...charge, kind: "anticipation" })],
    });
    expect(shownMatches(found)).toEqual(["reference: installment 2 = m1"]);
  });

  test("a fee in two parts is one match, and differs by their sum", () => {
    const fee = { kind: "fee", providerPaymentId: "ch_1" } as const;
    const parts = [their("m1", -3, fee), their("m2", -4, fee)];
    expect(matched({ ours: [our("fee 1", -7, fee)], theirs: parts }).differences).toEqual([]);
    const [difference] = matched({ ours: [our("fee 1", -6, fee)], theirs: parts }).differences;
    expect(difference).toMatchObject({ kind: "fee_differs", fee: { expectedMinor: -6n, chargedMinor: -7n } });
  });

  test("a changed amount is named with both lines", () => {
    const found = matched({
      ours: [our("payment 1", 500, { endToEndId: E2E })],
      theirs: [their("m1", 499, { endToEndId: E2E })],
    });
    expect(shownDifferences(found)).toEqual(["amount_differs -1: payment 1 + m1"]);
    expect(found.open.theirs).toEqual([]);
  });
});

describe("twice", () => {
  const ours = [our("payment 1", 500, { endToEndId: E2E })];
  const first = their("m1", 500, { endToEndId: E2E });
  const again = their("m2", 500, { endToEndId: E2E, day: NEXT });

  test("a movement under two ids is doubled, on the same day, later, and after its match", () => {
    expect(shownDifferences(matched({ ours, theirs: [first, again] }))).toEqual(["doubled 500: m2"]);
    const later = matched({ days: [NEXT], theirs: [again], earlier: { ours, theirs: [first], bank: [] } });
    expect(shownDifferences(later)).toEqual(["doubled 500: m2"]);
    expect(later.open.theirs).toEqual([again]);
  });

  test("a payment that we have twice is doubled", () => {
    const second = our("payment 2", 500, { endToEndId: E2E });
    expect(shownDifferences(matched({ ours: [...ours, second], theirs: [first] }))).toEqual([
      "doubled -500: payment 2",
    ]);
  });

  test("a second payer of one reference and amount is not doubled", () => {
    const reference = { reference: "static" };
    const found = matched({
      ours: [our("payment 1", 500, { endToEndId: E2E, ...reference })],
      theirs: [
        their("m1", 500, { endToEndId: E2E, ...reference }),
        their("m2", 500, { endToEndId: OTHER_E2E, ...reference }),
      ],
    });
    expect(shownDifferences(found)).toEqual(["missing_here 500: m2"]);
  });

  test("a refund that is there twice is not taken for another refund of its payment", () => {
    const refund = { kind: "refund", providerPaymentId: "ch_1" } as const;
    const found = matched({
      days: [DAY, NEXT],
      ours: [our("refund 1", -100, refund), our("refund 2", -200, refund)],
      theirs: [their("m1", -100, refund), their("m2", -100, refund)],
    });
    expect(shownDifferences(found)).toEqual(["doubled -100: m2", "missing_there 200: refund 2"]);
  });

  test("two refunds of one amount are not doubled", () => {
    const refund = { kind: "refund", endToEndId: E2E, dueOn: NEXT } as const;
    const found = matched({
      ours: [our("refund 1", -100, refund), our("refund 2", -100, refund)],
      theirs: [their("m1", -100, { kind: "refund", endToEndId: E2E })],
    });
    expect(shownDifferences(found)).toEqual(["in_transit 100: refund 2"]);
  });

  test("a line that is read again changes nothing", () => {
    const found = matched({ ours: [...ours, ...ours], theirs: [first, first] });
    expect(shownMatches(found)).toEqual(["end_to_end_id: payment 1 = m1"]);
    expect(found.differences).toEqual([]);
    const again2 = matched({ ours, theirs: [first], earlier: { ours, theirs: [first], bank: [] } });
    expect([again2.matches, again2.differences]).toEqual([[], []]);
  });
});

describe("by amount and day", () => {
  test("one on each side matches", () => {
    const found = matched({ ours: [our("payment 1", 500, { endToEndId: E2E })], theirs: [their("m1", 500)] });
    expect(shownMatches(found)).toEqual(["amount_and_day: payment 1 = m1"]);
  });

  test.each([
    ["of another day", { day: NEXT }],
    ["of another account", { accountId: "pac_b" }],
    ["of another kind", { kind: "other" as const }],
    ["with another end-to-end id", { endToEndId: OTHER_E2E }],
    ["of another amount", { amountMinor: 501n }],
  ])("none %s does", (_, values) => {
    const found = matched({
      days: [DAY, NEXT, LATER],
      ours: [our("payment 1", 500, { endToEndId: E2E })],
      theirs: [their("m1", 500, values)],
    });
    expect(found.matches).toEqual([]);
    expect(found.differences.map(({ kind }) => kind).toSorted()).toEqual(["missing_here", "missing_there"]);
  });

  test("two equal ones on each side are interchangeable, and match in their order", () => {
    const found = matched({
      ours: [our("payment 1", 500), our("payment 2", 500)],
      theirs: [their("m1", 500), their("m2", 500)],
    });
    expect(shownMatches(found)).toEqual(["amount_and_day: payment 1 = m1", "amount_and_day: payment 2 = m2"]);
  });

  test("of two equal ones on one side and one on the other none matches", () => {
    const found = matched({
      days: [DAY, NEXT],
      ours: [our("payment 1", 500), our("payment 2", 500)],
      theirs: [their("m1", 500)],
    });
    expect(shownDifferences(found)).toEqual([
      "missing_here 500: m1",
      "missing_there -500: payment 1",
      "missing_there -500: payment 2",
    ]);
  });

  test("a payout matches on its day or on the day that the provider named", () => {
    const payout = their("t1", -500, { kind: "transfer", dueOn: LATER });
    const onDay = (day: string) =>
      shownMatches(matched({ days: [DAY, NEXT, LATER], theirs: [payout], bank: [bank("b1", 500, { day })] }));
    expect([onDay(DAY), onDay(NEXT), onDay(LATER)]).toEqual([
      ["amount_and_day: t1 = b1"],
      [],
      ["amount_and_day: t1 = b1"],
    ]);
  });

  test("equal payouts of two accounts into one bank account do not match", () => {
    const found = matched({
      accounts: [account, { ...account, id: "pac_b" }],
      theirs: [
        their("t1", -500, { kind: "transfer" }),
        their("t2", -500, { kind: "transfer", accountId: "pac_b" }),
      ],
      bank: [bank("b1", 500), bank("b2", 500)],
    });
    expect(found.matches).toEqual([]);
  });
});

describe("in transit", () => {
  const ours = [our("installment 1", 500, { kind: "installment", dueOn: NEXT })];

  test("a line is in transit up to the day that the provider named, and missing after it", () => {
    const [difference] = matched({ days: [DAY], ours }).differences;
    expect(difference).toMatchObject({ kind: "in_transit", dueOn: NEXT, amountMinor: -500n, day: DAY });
    expect(shownDifferences(matched({ days: [NEXT], ours }))).toEqual(["in_transit -500: installment 1"]);
    expect(shownDifferences(matched({ days: [LATER], ours }))).toEqual(["missing_there -500: installment 1"]);
  });

  test("a line is not missing on a day that the statement does not cover", () => {
    const accounts = [{ ...account, statedUntil: NEXT }];
    expect(shownDifferences(matched({ accounts, days: [LATER], ours }))).toEqual([
      "in_transit -500: installment 1",
    ]);
  });
});

describe("decided", () => {
  const ours = [our("payment 1", 500, { endToEndId: E2E })];
  const theirs = [their("m1", 499, { endToEndId: E2E }), their("m2", 7)];
  const decisions = [
    { id: "d1", leg: "books", reason: "rounded", lineKeys: ["ours payment 1", "theirs pac_a received m1"] },
    { id: "d2", leg: "books", reason: "interest", lineKeys: ["theirs pac_a received m2"] },
  ] as const;

  test("lines that a person explained are matched by the decision, which is named with its reason", () => {
    const found = matched({ ours, theirs, decisions });
    expect(shownMatches(found)).toEqual(["decided:  = m2", "decided: payment 1 = m1"]);
    expect(shownDifferences(found)).toEqual(["decided -1: payment 1 + m1", "decided 7: m2"]);
    expect(found.differences.map(({ reason }) => reason)).toEqual(["rounded", "interest"]);
    expect(found.matches.map(({ decisionId }) => decisionId)).toEqual(["d1", "d2"]);
    expect(found.open).toEqual({ ours: [], theirs: [], payouts: [], bank: [] });
  });

  test("a decision that is undone leaves its lines to the rules", () => {
    expect(shownDifferences(matched({ ours, theirs }))).toEqual([
      "amount_differs -1: payment 1 + m1",
      "missing_here 7: m2",
    ]);
  });

  test("a decision on a line that is not there, or is decided, changes nothing and is named", () => {
    const late = { id: "d3", leg: "books", reason: "x", lineKeys: ["ours payment 1", "ours gone"] } as const;
    const second = { id: "d4", leg: "books", reason: "x", lineKeys: ["theirs pac_a received m2"] } as const;
    const found = matched({ ours, theirs, decisions: [late, ...decisions, second] });
    expect(found.unusedDecisions).toEqual([late, second]);
    expect(found.matches).toHaveLength(2);
  });
});
