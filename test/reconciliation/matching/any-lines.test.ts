import fc from "fast-check";
import { expect, test } from "vitest";
import { LINE_KINDS } from "../../../src/providers/account-statement.ts";
import type { Account, BankLine, OurLine, TheirLine } from "../../../src/reconciliation/matching/lines.ts";
import { sumOf } from "./month.ts";
import { account, bank, matched, our, their } from "./sides.ts";

const days = ["2026-11-03", "2026-11-04", "2026-11-05"];
const accounts: readonly Account[] = (["transfer", "settlement", "line"] as const).map((path) => ({
  ...account,
  id: path,
  bank: { accountId: `bank of ${path}`, path },
}));

const maybe = (...values: readonly string[]) => fc.option(fc.constantFrom(...values), { freq: 2, nil: null });
const names = {
  endToEndId: maybe("E0000000020261103120aaaaaaaaaaaa", "E0000000020261103120bbbbbbbbbbbb", "Daaa"),
  providerPaymentId: maybe("payment1", "payment2", "1"),
  reference: maybe("reference1", "1"),
  installment: fc.option(fc.integer({ min: 1, max: 2 }), { nil: null }),
  day: fc.constantFrom(...days),
  dueOn: fc.constantFrom(...days),
  accountId: fc.constantFrom(...accounts.map(({ id }) => id)),
};
const amounts = fc.integer({ min: -3, max: 6 });
const text = fc.constantFrom(
  "",
  "PIX",
  "reference1 payment1",
  "settlement1",
  "E0000000020261103120aaaaaaaaaaaa",
);
const ours = fc.record({
  ...names,
  amount: amounts,
  kind: fc.constantFrom(...LINE_KINDS.filter((kind) => kind !== "transfer")),
  paymentId: maybe("payment1"),
});
const theirs = fc.record({
  ...names,
  amount: amounts,
  kind: fc.constantFrom(...LINE_KINDS),
  settlementId: maybe("settlement1", "settlement2"),
  text,
});
const banks = fc.record({ amount: amounts, text, day: names.day, accountId: names.accountId });

const anyLines = fc.record({
  ours: fc
    .array(ours, { maxLength: 30 })
    .map((some) =>
      some.map(({ amount, ...values }, index): OurLine => our(`payment ${index}`, amount, values)),
    ),
  theirs: fc
    .array(theirs, { maxLength: 30 })
    .map((some) => some.map(({ amount, ...values }, index): TheirLine => their(`m${index}`, amount, values))),
  bank: fc
    .array(banks, { maxLength: 30 })
    .map((some) =>
      some.map(({ amount, accountId, ...values }, index): BankLine =>
        bank(`b${index}`, amount, { ...values, bankAccountId: `bank of ${accountId}` }),
      ),
    ),
});

test("of any lines each is once in a match or open, and the sides are as far apart as the differences say", () => {
  fc.assert(
    fc.property(anyLines, (lines) => {
      const { matches, open, differences } = matched({ ...lines, accounts, days });
      const books = matches.filter(({ leg }) => leg === "books");
      const atBank = matches.filter(({ leg }) => leg === "bank");
      const ids = (some: readonly { readonly id: string }[]) => some.map(({ id }) => id).toSorted();
      const inBooks = lines.theirs.filter(({ kind }) => kind !== "transfer");
      const reaching = lines.theirs.filter(
        ({ accountId, kind, settlementId }) =>
          accountId === "line" ||
          (accountId === "transfer" ? kind === "transfer" : settlementId !== null && kind !== "transfer"),
      );
      expect(ids([...books.flatMap((match) => match.ours), ...open.ours])).toEqual(ids(lines.ours));
      expect(ids([...books.flatMap((match) => match.theirs), ...open.theirs])).toEqual(ids(inBooks));
      expect(ids([...atBank.flatMap((match) => match.theirs), ...open.payouts])).toEqual(ids(reaching));
      expect(ids([...atBank.flatMap((match) => match.bank), ...open.bank])).toEqual(ids(lines.bank));

      const apart = (leg: string) => sumOf(differences.filter((difference) => difference.leg === leg));
      expect(apart("books")).toBe(sumOf(inBooks) - sumOf(lines.ours));
      const paidOut = reaching.map(({ accountId, amountMinor }) => ({
        amountMinor: accountId === "transfer" ? -amountMinor : amountMinor,
      }));
      expect(apart("bank")).toBe(sumOf(lines.bank) - sumOf(paidOut));
    }),
    { numRuns: 1000 },
  );
});
