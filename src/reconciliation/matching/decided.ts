import type { Entry, Pair, Pool } from "./entry.ts";
import type { Decision, Leg } from "./lines.ts";

export interface DecidedPair<L, R> extends Pair<L, R> {
  readonly decision: Decision;
}

/**
 * Takes out of a leg's pool the lines on which a person decided, so that no rule moves them. A decision of which a line
 * is not in the pool, or is one of a decision before it, changes nothing.
 */
export function takeDecided<L, R>(
  leg: Leg,
  pool: Pool<L, R>,
  decisions: readonly Decision[],
  keys: { readonly left: (line: L) => string; readonly right: (line: R) => string },
): DecidedPair<L, R>[] {
  const own = decisions.filter((decision) => decision.leg === leg);
  if (own.length === 0) return [];
  const left = byKey(pool.left, keys.left);
  const right = byKey(pool.right, keys.right);
  const pairs: DecidedPair<L, R>[] = [];
  for (const decision of own) {
    const lefts = new Set(
      decision.lineKeys.map((key) => left.get(key)).filter((entry) => entry !== undefined),
    );
    const rights = new Set(
      decision.lineKeys.map((key) => right.get(key)).filter((entry) => entry !== undefined),
    );
    const isKnown = decision.lineKeys.every((key) => left.has(key) || right.has(key));
    if (!isKnown || !lefts.isSubsetOf(pool.left) || !rights.isSubsetOf(pool.right)) continue;
    for (const entry of lefts) pool.left.delete(entry);
    for (const entry of rights) pool.right.delete(entry);
    pairs.push({ rule: "decided", left: [...lefts], right: [...rights], decision });
  }
  return pairs;
}

function byKey<L>(entries: Iterable<Entry<L>>, keyOf: (line: L) => string): Map<string, Entry<L>> {
  const found = new Map<string, Entry<L>>();
  for (const entry of entries) for (const line of entry.lines) found.set(keyOf(line), entry);
  return found;
}
