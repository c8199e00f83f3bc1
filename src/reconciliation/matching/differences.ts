import type { DecidedPair } from "./decided.ts";
import { sumOf, type Entry, type Pair, type Pool } from "./entry.ts";
import type { Difference, DifferenceKind, Leg, Sides } from "./lines.ts";

/** What the differences of one leg need to know of it. */
export interface LegReport<L, R> {
  readonly leg: Leg;
  /** The lines of a leg's sides in their places. */
  readonly sides: (left: readonly Entry<L>[], right: readonly Entry<R>[]) => Sides;
  /** The last day up to which the right side of an account is known; "": none is. */
  readonly knownUntil: (accountId: string) => string;
  /** The account to which a line on the right belongs; null: several can have it. */
  readonly accountOf: (right: Entry<R>) => string | null;
  readonly asOf: string;
}

/** Returns what is not even in a leg at the end of the day `asOf`: of its new matches, and of all that is open. */
export function differencesOf<L, R>(pool: Pool<L, R>, report: LegReport<L, R>): Difference[] {
  return [
    ...pool.pairs.flatMap((pair) => pairDifference(pair, report)),
    // What comes to nothing is never booked.
    ...[...pool.left].filter(({ amountMinor }) => amountMinor !== 0n).map((entry) => openLeft(entry, report)),
    ...[...pool.right].map((entry) => one("missing_here", [], [entry], report)),
    ...[...pool.doubledLeft].map((entry) => one("doubled", [entry], [], report)),
    ...[...pool.doubledRight].map((entry) => one("doubled", [], [entry], report)),
  ];
}

/** Returns the difference that a person explained: of any amount, 0 too. */
export function decidedDifference<L, R>(
  { left, right, decision }: DecidedPair<L, R>,
  report: LegReport<L, R>,
): Difference {
  return { ...one("decided", left, right, report), reason: decision.reason };
}

function pairDifference<L, R>({ left, right }: Pair<L, R>, report: LegReport<L, R>): Difference[] {
  const [expectedMinor, chargedMinor] = [sumOf(left), sumOf(right)];
  if (expectedMinor === chargedMinor) return [];
  const isFee = report.leg === "books" && left[0]?.scope.endsWith(" fee") === true;
  if (!isFee) return [one("amount_differs", left, right, report)];
  return [{ ...one("fee_differs", left, right, report), fee: { expectedMinor, chargedMinor } }];
}

function openLeft<L, R>(entry: Entry<L>, report: LegReport<L, R>): Difference {
  const knownUntil = report.knownUntil(entry.accountId ?? "");
  const until = knownUntil < report.asOf ? knownUntil : report.asOf;
  if (until > entry.dueOn) return one("missing_there", [entry], [], report);
  return { ...one("in_transit", [entry], [], report), dueOn: entry.dueOn };
}

function one<L, R>(
  kind: DifferenceKind,
  left: readonly Entry<L>[],
  right: readonly Entry<R>[],
  report: LegReport<L, R>,
): Difference {
  const [firstLeft, firstRight] = [left[0], right[0]];
  return {
    kind,
    ...report.sides(left, right),
    day: firstRight?.day ?? firstLeft?.day ?? report.asOf,
    accountId: firstLeft?.accountId ?? (firstRight ? report.accountOf(firstRight) : null),
    amountMinor: sumOf(right) - sumOf(left),
    fee: null,
    dueOn: null,
    reason: null,
  };
}
