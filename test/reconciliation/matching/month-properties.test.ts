import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { DayColumns } from "../../../src/reconciliation/matching/day-columns.ts";
import {
  bankKey,
  ourKey,
  theirKey,
  type Decision,
  type Difference,
  type Lines,
  type Match,
} from "../../../src/reconciliation/matching/lines.ts";
import { matchLines, type Matched } from "../../../src/reconciliation/matching/match.ts";
import { accounts, days, plans } from "./month-plan.ts";
import { Month, sumOf, written } from "./month.ts";
import { NO_LINES, NOTHING_OPEN } from "./sides.ts";
import { Store } from "./store.ts";

const always = (holds: (month: Month) => void, numRuns: number) =>
  fc.assert(
    fc.property(plans, (plan) => holds(new Month(plan))),
    { numRuns },
  );

const whole = ({ ours, theirs, bank }: Lines, decisions: readonly Decision[] = []): Matched =>
  matchLines({
    accounts,
    days,
    lines: { ours, theirs, bank },
    open: NOTHING_OPEN,
    earlier: NO_LINES,
    decisions,
    openings: [],
    stated: [],
  });

const report = (differences: readonly Difference[]): string[] =>
  differences
    .map(({ leg, kind, accountId, amountMinor, fee, ours, theirs, bank }) => {
      const name = fee ? `${kind} ${fee.expectedMinor} ${fee.chargedMinor}` : kind;
      return written(leg, name, accountId, amountMinor, [...ours, ...theirs, ...bank]);
    })
    .toSorted();
const moved = (matches: readonly Match[]): string[] =>
  matches
    .filter(({ isMoved, leg }) => isMoved && leg === "books")
    .flatMap(({ theirs }) => theirs.map(({ id }) => id))
    .toSorted();

/** opening + movements = closing, and a day begins where the one before ended. */
function expectCarried(columns: readonly DayColumns[]): void {
  for (const [index, { accountId, ours, theirs, bank }] of columns.entries()) {
    const before = columns[index - 1]?.accountId === accountId ? columns[index - 1] : undefined;
    for (const [column, earlier] of [
      [ours, before?.ours],
      [theirs, before?.theirs],
      [bank, before?.bank],
    ] as const) {
      if (!column) continue;
      const { openingMinor, inMinor, feesMinor, returnsMinor, outMinor, closingMinor } = column;
      expect(openingMinor + inMinor + feesMinor + returnsMinor + outMinor).toBe(closingMinor);
      expect(openingMinor).toBe(earlier?.closingMinor ?? 0n);
    }
  }
}

/** Each line is in one match of a leg, or open. */
function expectOnce(
  matches: readonly Match[],
  { ours, theirs }: Pick<Matched["open"], "ours" | "theirs">,
): void {
  const inBooks = matches.filter(({ leg }) => leg === "books");
  const lines = [...inBooks.flatMap((match) => [...match.ours, ...match.theirs]), ...ours, ...theirs];
  expect(new Set(lines).size).toBe(lines.length);
}

describe("a month with any faults", () => {
  test("is named by exactly those", () => {
    const seen = new Set<string>();
    always((month) => {
      const found = whole(month);
      expect(report(found.differences)).toEqual(month.expected.toSorted());
      expect(moved(found.matches)).toEqual(month.moved.toSorted());
      expectOnce(found.matches, found.open);
      for (const { leg, kind } of found.differences) seen.add(`${leg} ${kind}`);
      for (const { leg, rule } of found.matches) seen.add(`${leg} ${rule}`);
    }, 500);
    expect([...seen].toSorted()).toEqual([
      "bank amount_and_day",
      "bank amount_differs",
      "bank doubled",
      "bank end_to_end_id",
      "bank missing_here",
      "bank missing_there",
      "bank reference",
      "bank settlement_id",
      "books amount_and_day",
      "books amount_differs",
      "books doubled",
      "books end_to_end_id",
      "books fee_differs",
      "books missing_here",
      "books missing_there",
      "books reference",
    ]);
  });

  test("is carried by each account and day, and ends as far apart as its differences say", () => {
    always((month) => {
      const { columns, differences } = whole(month);
      expect(columns).toHaveLength(accounts.length * days.length);
      expectCarried(columns);
      for (const { id } of accounts) {
        const last = columns.findLast(({ accountId }) => accountId === id);
        const named = differences.filter(({ leg, accountId }) => leg === "books" && accountId === id);
        expect((last?.theirs.closingMinor ?? 0n) - (last?.ours.closingMinor ?? 0n)).toBe(sumOf(named));
      }
      const line = columns.findLast(({ accountId }) => accountId === "line");
      const named = differences.filter(({ leg, accountId }) => leg === "bank" && accountId === "line");
      expect((line?.bank?.closingMinor ?? 0n) - (line?.theirs.closingMinor ?? 0n)).toBe(sumOf(named));
    }, 200);
  });

  test("is even but for what is decided once a person explained each difference", () => {
    always((month) => {
      const { differences } = whole(month);
      const decisions = differences.map(({ leg, ours, theirs, bank }, index): Decision => {
        const lineKeys = [...ours.map(ourKey), ...theirs.map(theirKey), ...bank.map(bankKey)];
        return { id: `d${index}`, leg, reason: `reason ${index}`, lineKeys };
      });
      const decided = whole(month, decisions);
      expect(decided.differences.map(({ kind }) => kind)).toEqual(decisions.map(() => "decided"));
      expect(sumOf(decided.differences)).toBe(sumOf(differences));
      expect(decided.open).toEqual(NOTHING_OPEN);
      expect(decided.unusedDecisions).toEqual([]);
    }, 100);
  });

  test.each(["each day", "at the end of the month"])(
    "is named the same day by day, with the bank's file %s",
    (file) => {
      always((month) => {
        const store = new Store(accounts);
        for (const day of days) {
          const isLast = day === days.at(-1);
          const ofDay = <L extends { readonly day: string }>(lines: readonly L[]) =>
            lines.filter((line) => line.day === day);
          const bank = file === "each day" ? ofDay(month.bank) : isLast ? month.bank : [];
          store.addDay(day, { ours: ofDay(month.ours), theirs: ofDay(month.theirs), bank });
        }
        expect(report(store.differences)).toEqual(month.expected.toSorted());
        expect(moved(store.matches)).toEqual(month.moved.toSorted());
        expectOnce(store.matches, store.open);
        const byAccount = store.columns.toSorted((a, b) => a.accountId.localeCompare(b.accountId));
        expectCarried(byAccount);
        if (file === "each day") {
          const expected = whole(month).columns.toSorted((a, b) => a.accountId.localeCompare(b.accountId));
          expect(byAccount.map(({ theirs, ours }) => [theirs, ours])).toEqual(
            expected.map(({ theirs, ours }) => [theirs, ours]),
          );
        }
      }, 100);
    },
  );
});
