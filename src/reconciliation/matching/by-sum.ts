import { daysOf, namedBy } from "./by-amount.ts";
import { sumOf, take, type Entry, type Pair, type Pool } from "./entry.ts";

// 2^12 sums of each half are made, once for a day of an account. Of more lines only the sum of all is tried.
const SUBSET_LINES_MAX = 24;
// Each costs as many look-ups as a half has sums.
const TARGETS_MAX = 50;

/**
 * Matches one entry on the right with several on the left of one account that make its amount: those of one settlement
 * id; else those of a day, if exactly one choice among them makes it. Of more than 24 of a day only all together.
 */
export function matchBySum<L, R>(pool: Pool<L, R>): void {
  matchSettlements(pool);
  const left = byAccountAndDay([...pool.left]);
  const right = Map.groupBy(nameless(pool), ({ scope, day }) => `${scope} ${day}`);
  const found: Pair<L, R>[] = [];
  for (const entries of left.values()) {
    const targets = right.get(`${entries[0]?.scope} ${entries[0]?.day}`) ?? [];
    if (targets.length === 0 || targets.length > TARGETS_MAX) continue;
    const parts = entries.map(({ entry }) => entry).filter(({ amountMinor }) => amountMinor !== 0n);
    found.push(...sumsOf(parts, targets));
  }
  for (const pair of withoutRivals(found)) take(pool, pair);
}

interface OnDay<L> {
  readonly scope: string;
  readonly day: string;
  readonly entry: Entry<L>;
}

function byAccountAndDay<L>(entries: readonly Entry<L>[]): Map<string, OnDay<L>[]> {
  const onDays = entries.flatMap((entry) => daysOf(entry).map((day) => ({ scope: entry.scope, day, entry })));
  return Map.groupBy(onDays, ({ scope, day, entry }) => `${scope} ${entry.accountId} ${day}`);
}

/** What names a movement of its own is no sum. */
function nameless<L, R>(pool: Pool<L, R>): Entry<R>[] {
  return [...pool.right].filter((entry) => namedBy(entry).length === 0);
}

function keyOf(scope: string | undefined, day: string, amountMinor: bigint): string {
  return `${scope} ${day} ${amountMinor}`;
}

function matchSettlements<L, R>(pool: Pool<L, R>): void {
  const inSettlements = [...pool.left].filter(({ ids }) => ids.settlementId !== null);
  const groups = Map.groupBy(
    inSettlements,
    ({ scope, accountId, ids }) => `${scope} ${accountId} ${ids.settlementId}`,
  );
  const right = Map.groupBy(nameless(pool), ({ scope, day, amountMinor }) => keyOf(scope, day, amountMinor));
  const found: Pair<L, R>[] = [];
  for (const left of groups.values()) {
    if (left.length < 2) continue;
    const sum = sumOf(left);
    for (const day of new Set(left.flatMap(daysOf))) {
      const targets = right.get(keyOf(left[0]?.scope, day, sum)) ?? [];
      for (const target of targets) found.push({ rule: "settlement_id", left, right: [target] });
    }
  }
  for (const pair of withoutRivals(found)) take(pool, pair);
}

/** Returns the pairs whose entries are in no other pair. */
function withoutRivals<L, R>(pairs: readonly Pair<L, R>[]): Pair<L, R>[] {
  const uses = new Map<Entry<unknown>, number>();
  const entriesOf = ({ left, right }: Pair<L, R>): Entry<unknown>[] => [...left, ...right];
  for (const entry of pairs.flatMap(entriesOf)) uses.set(entry, (uses.get(entry) ?? 0) + 1);
  return pairs.filter((pair) => entriesOf(pair).every((entry) => uses.get(entry) === 1));
}

function sumsOf<L, R>(entries: readonly Entry<L>[], targets: readonly Entry<R>[]): Pair<L, R>[] {
  if (entries.length < 2) return [];
  if (entries.length > SUBSET_LINES_MAX) {
    const sum = sumOf(entries);
    const same = targets.filter(({ amountMinor }) => amountMinor === sum);
    return same.map((target) => ({ rule: "day_total", left: entries, right: [target] }));
  }
  const search = subsetSearch(entries.map(({ amountMinor }) => amountMinor));
  return targets.flatMap((target): Pair<L, R>[] => {
    const places = search(target.amountMinor);
    if (!places || places.length < 2) return [];
    return [
      { rule: "sum_of_lines", left: entries.filter((_, place) => places.includes(place)), right: [target] },
    ];
  });
}

/**
 * Returns a function that finds the places of the amounts that make a sum: undefined if there are none or more than
 * one choice. It meets in the middle: all sums of one half are looked up in those of the other.
 */
export function subsetSearch(amounts: readonly bigint[]): (sum: bigint) => number[] | undefined {
  // Sums of so few amounts in centavos are exact, and far faster than bigint.
  const numbers = amounts.map(Number);
  const middle = numbers.length >> 1;
  const low = sumsOfSubsets(numbers.slice(0, middle));
  const high = sumsOfSubsets(numbers.slice(middle));
  /** The subset of a sum; -1: several have it. */
  const subsets = new Map<number, number>();
  for (const [subset, sum] of high.entries()) subsets.set(sum, subsets.has(sum) ? -1 : subset);
  return (wanted) => {
    let found: number | undefined;
    for (const [subset, sum] of low.entries()) {
      const rest = subsets.get(Number(wanted) - sum);
      if (rest === undefined) continue;
      if (rest === -1 || found !== undefined) return undefined;
      found = subset + rest * 2 ** middle;
    }
    if (found === undefined || found === 0) return undefined;
    const bits = found;
    return [...numbers.keys()].filter((place) => Math.floor(bits / 2 ** place) % 2 === 1);
  };
}

function sumsOfSubsets(numbers: readonly number[]): number[] {
  const sums = [0];
  for (const number of numbers) {
    const count = sums.length;
    for (let subset = 0; subset < count; subset++) sums.push((sums[subset] ?? 0) + number);
  }
  return sums;
}
