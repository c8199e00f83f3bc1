import { expect, test } from "vitest";
import type { Column } from "../../../src/reconciliation/matching/day-columns.ts";
import { account, bank, DAY, matched, NEXT, our, their } from "./sides.ts";

const shown = (column: Column | null | undefined) =>
  column &&
  [
    column.openingMinor,
    column.inMinor,
    column.feesMinor,
    column.returnsMinor,
    column.outMinor,
    column.closingMinor,
    column.statedMinor,
  ].map((minor) => (minor === null ? null : Number(minor)));

const openings = [{ accountId: account.id, oursMinor: 100n, theirsMinor: 100n, bankMinor: 1000n }];

test("a day has each kind of movement in its part, and begins where the day before ended", () => {
  const { columns } = matched({
    days: [DAY, NEXT],
    openings,
    stated: [{ accountId: account.id, day: NEXT, theirsMinor: 136n, bankMinor: null }],
    ours: [
      our("payment 1", 500),
      our("fee 1", -5, { kind: "fee" }),
      our("refund 1", -50, { kind: "refund", day: NEXT }),
    ],
    theirs: [
      their("m1", 500),
      their("m2", -6, { kind: "fee" }),
      their("m3", -400, { kind: "transfer" }),
      their("m4", -50, { kind: "return", day: NEXT }),
      their("m5", -7, { kind: "blocked", day: NEXT }),
      their("m6", 3, { kind: "other", day: NEXT }),
      their("m7", -4, { kind: "other", day: NEXT }),
    ],
    bank: [bank("b1", 400), bank("b2", -30, { day: NEXT })],
  });
  expect(
    columns.map(({ day, ours, theirs, bank: atBank }) => [day, ...[ours, theirs, atBank].map(shown)]),
  ).toEqual([
    [
      DAY,
      [100, 500, -5, 0, -400, 195, null],
      [100, 500, -6, 0, -400, 194, null],
      [1000, 400, 0, 0, 0, 1400, null],
    ],
    [NEXT, [195, 0, 0, -50, 0, 145, null], [194, 3, 0, -50, -11, 136, 136], [1400, 0, 0, 0, -30, 1370, null]],
  ]);
});

test("a bank line is of the kind of the statement's line that it matches", () => {
  const accounts = [{ ...account, bank: { accountId: "bac_a", path: "line" as const } }];
  const { columns } = matched({
    accounts,
    theirs: [their("m1", 500), their("m2", -5, { kind: "fee" }), their("m3", -50, { kind: "refund" })],
    bank: [bank("b1", 500), bank("b2", -5), bank("b3", -50), bank("b4", -1)],
  });
  expect(columns.map((column) => shown(column.bank))).toEqual([[0, 500, -5, -50, -1, 444, null]]);
});

test("an account without a bank account has two columns, and a day without lines has its opening", () => {
  const { columns } = matched({ accounts: [{ ...account, bank: null }], openings });
  expect(columns.map(({ ours, bank: atBank }) => [shown(ours), atBank])).toEqual([
    [[100, 0, 0, 0, 0, 100, null], null],
  ]);
});
