import type { LineKind } from "../../providers/account-statement.ts";
import { matchByAmount } from "./by-amount.ts";
import { matchById } from "./by-id.ts";
import { matchBySum } from "./by-sum.ts";
import { dayColumns, type Balances, type DayColumns, type StatedClosing } from "./day-columns.ts";
import { takeDecided, type DecidedPair } from "./decided.ts";
import { decidedDifference, differencesOf, type LegReport } from "./differences.ts";
import { takeDoubled } from "./doubled.ts";
import {
  bankEntry,
  ourEntry,
  payoutEntries,
  reachesBank,
  theirEntry,
  type Entry,
  type Pair,
  type Pool,
} from "./entry.ts";
import { withContractedFees } from "./fees.ts";
import {
  bankKey,
  ourKey,
  theirKey,
  type Account,
  type BankLine,
  type Decision,
  type Difference,
  type Lines,
  type Match,
  type OpenLines,
  type OurLine,
  type TheirLine,
} from "./lines.ts";

export interface MatchInput {
  readonly accounts: readonly Account[];
  /** The days to look at, in order, at least one. Differences are as of the end of the last one. */
  readonly days: readonly string[];
  /** Lines that were not looked at before. Those of days before are matched, too, and are in no column. */
  readonly lines: Lines;
  /** What earlier calls left open. */
  readonly open: OpenLines;
  /** Lines of earlier matches that have an id of a new or an open line, which may repeat one of them: it is doubled. */
  readonly earlier: Lines;
  /**
   * Decisions that have not made their match yet. Their lines are new or open, those of a match that one replaces too;
   * the lines of one that is undone are open again.
   */
  readonly decisions: readonly Decision[];
  readonly openings: readonly Balances[];
  readonly stated: readonly StatedClosing[];
}

export interface Matched {
  /** New matches. A line of one is not passed in again. */
  readonly matches: readonly Match[];
  /** Those of new matches, which stay, and those of open lines, which the next day judges again. */
  readonly differences: readonly Difference[];
  /** To be passed in with the next day. */
  readonly open: OpenLines;
  readonly columns: readonly DayColumns[];
  /** Decisions of which a line is neither new nor open. They have changed nothing. */
  readonly unusedDecisions: readonly Decision[];
}

/**
 * Matches the lines of some days and of what is open from earlier days: our books with the provider's statement, and
 * the statement with the bank. Decisions go first, then ids, amount and day within one account, sums. The time is
 * linear in the lines, but for sorting and a bounded search for sums.
 */
export function matchLines(input: MatchInput): Matched {
  const accounts = new Map(input.accounts.map((account) => [account.id, account]));
  const { open, earlier } = input;
  const ours = fresh(withContractedFees(input.lines.ours, accounts), [...open.ours, ...earlier.ours], ourKey);
  const theirs = fresh(input.lines.theirs, [...open.theirs, ...open.payouts, ...earlier.theirs], theirKey);
  const bank = fresh(input.lines.bank, [...open.bank, ...earlier.bank], bankKey);
  const inBank = (line: TheirLine): boolean => reachesBank(line, accounts.get(line.accountId));

  const books = poolOf(
    [...open.ours, ...ours].map(ourEntry),
    [...open.theirs, ...theirs.filter(inBooks)].map(theirEntry),
  );
  const payouts = poolOf(
    payoutEntries([...open.payouts, ...theirs.filter(inBank)], accounts),
    [...open.bank, ...bank].map(bankEntry),
  );
  const reports = { books: booksReport(input, accounts), bank: bankReport(input, accounts) };
  const decided = {
    books: takeDecided("books", books, input.decisions, { left: ourKey, right: theirKey }),
    bank: takeDecided("bank", payouts, input.decisions, { left: theirKey, right: bankKey }),
  };
  // A statement line can be matched in one leg and open in the other.
  match(books, {
    left: without(earlier.ours, open.ours, ourKey).map(ourEntry),
    right: without(earlier.theirs, open.theirs, theirKey).map(theirEntry),
  });
  match(payouts, {
    left: payoutEntries(without(earlier.theirs.filter(inBank), open.payouts, theirKey), accounts),
    right: without(earlier.bank, open.bank, bankKey).map(bankEntry),
  });

  const matches = [
    ...[...decided.books, ...books.pairs].map((pair) => matchOf(pair, reports.books)),
    ...[...decided.bank, ...payouts.pairs].map((pair) => matchOf(pair, reports.bank)),
  ];
  const usedDecisions = new Set([...decided.books, ...decided.bank].map(({ decision }) => decision));
  return {
    matches,
    differences: [
      ...decided.books.map((pair) => decidedDifference(pair, reports.books)),
      ...differencesOf(books, reports.books),
      ...decided.bank.map((pair) => decidedDifference(pair, reports.bank)),
      ...differencesOf(payouts, reports.bank),
    ],
    open: {
      ours: linesOf(books.left, books.doubledLeft),
      theirs: linesOf(books.right, books.doubledRight),
      payouts: linesOf(payouts.left, payouts.doubledLeft),
      bank: linesOf(payouts.right, payouts.doubledRight),
    },
    columns: dayColumns({
      ...input,
      lines: { ours, theirs, bank },
      bankKinds: bankKindsOf(matches),
    }),
    unusedDecisions: input.decisions.filter((decision) => !usedDecisions.has(decision)),
  };
}

/** Payouts are the provider's doing, and our books have none. */
function inBooks({ kind }: TheirLine): boolean {
  return kind !== "transfer";
}

function match<L, R>(
  pool: Pool<L, R>,
  earlier: { readonly left: readonly Entry<L>[]; readonly right: readonly Entry<R>[] },
): void {
  matchById(pool);
  takeDoubled(pool, earlier);
  matchByAmount(pool);
  matchBySum(pool);
}

/** Returns lines that are not known, each once: a statement or file may be read again. */
function fresh<L>(lines: readonly L[], known: readonly L[], keyOf: (line: L) => string): L[] {
  const seen = new Set(known.map(keyOf));
  return lines.filter((line) => {
    const { size } = seen;
    return seen.add(keyOf(line)).size > size;
  });
}

function without<L>(lines: readonly L[], others: readonly L[], keyOf: (line: L) => string): L[] {
  const keys = new Set(others.map(keyOf));
  return lines.filter((line) => !keys.has(keyOf(line)));
}

function poolOf<L, R>(left: readonly Entry<L>[], right: readonly Entry<R>[]): Pool<L, R> {
  return {
    left: new Set(left),
    right: new Set(right),
    pairs: [],
    doubledLeft: new Set(),
    doubledRight: new Set(),
  };
}

function matchOf<L, R>(pair: Pair<L, R> | DecidedPair<L, R>, report: LegReport<L, R>): Match {
  const days = new Set([...pair.left, ...pair.right].map(({ day }) => day));
  return {
    rule: pair.rule,
    ...report.sides(pair.left, pair.right),
    isMoved: days.size > 1,
    decisionId: "decision" in pair ? pair.decision.id : null,
  };
}

function booksReport(
  { days }: MatchInput,
  accounts: ReadonlyMap<string, Account>,
): LegReport<OurLine, TheirLine> {
  return {
    leg: "books",
    sides: (left, right) => ({ leg: "books", ours: linesOf(left), theirs: linesOf(right), bank: [] }),
    knownUntil: (accountId) => accounts.get(accountId)?.statedUntil ?? "",
    accountOf: ({ accountId }) => accountId,
    asOf: days.at(-1) ?? "",
  };
}

function bankReport(
  { days }: MatchInput,
  accounts: ReadonlyMap<string, Account>,
): LegReport<TheirLine, BankLine> {
  const owners = Map.groupBy(accounts.values(), ({ bank }) => bank?.accountId);
  return {
    leg: "bank",
    sides: (left, right) => ({ leg: "bank", ours: [], theirs: linesOf(left), bank: linesOf(right) }),
    knownUntil: (accountId) => accounts.get(accountId)?.bankedUntil ?? "",
    accountOf: ({ scope }) => {
      const [owner, ...others] = owners.get(scope) ?? [];
      return owner && others.length === 0 ? owner.id : null;
    },
    asOf: days.at(-1) ?? "",
  };
}

/** Of an account that is its bank account, a bank line is what its statement's line is. */
function bankKindsOf(matches: readonly Match[]): Map<BankLine, LineKind> {
  const kinds = new Map<BankLine, LineKind>();
  for (const { theirs, bank } of matches) {
    const [kind, ...others] = new Set(theirs.map((line) => line.kind));
    if (kind === undefined || kind === "transfer" || others.length > 0) continue;
    for (const line of bank) kinds.set(line, kind);
  }
  return kinds;
}

function linesOf<L>(...entries: readonly Iterable<Entry<L>>[]): L[] {
  return entries.flatMap((some) => [...some].flatMap(({ lines }) => lines));
}
