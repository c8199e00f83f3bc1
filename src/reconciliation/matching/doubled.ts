import { leftNames, rightNames } from "./by-id.ts";
import type { Entry, Pool } from "./entry.ts";

/**
 * Takes out of a pool what is there twice: an entry that has a name, an installment and an amount of a matched one.
 * `earlier` are entries of earlier matches.
 */
export function takeDoubled<L, R>(
  pool: Pool<L, R>,
  earlier: { readonly left: readonly Entry<L>[]; readonly right: readonly Entry<R>[] },
): void {
  if (pool.left.size === 0 && pool.right.size === 0) return;
  const left = [...pool.pairs.flatMap((pair) => pair.left), ...earlier.left];
  const right = [...pool.pairs.flatMap((pair) => pair.right), ...earlier.right];

  const once = new Set(left.flatMap(onceKeys));
  for (const entry of pool.left) {
    const keys = onceKeys(entry);
    const isDoubled = keys.some((key) => once.has(key));
    // Of two that are open the second is the double.
    for (const key of keys) once.add(key);
    if (!isDoubled) continue;
    pool.left.delete(entry);
    pool.doubledLeft.add(entry);
  }

  if (pool.right.size === 0) return;
  // Words of a text are names only where the left side has them: all texts share words.
  const wanted = new Set([...pool.right].flatMap((entry) => scoped(entry, rightNames(entry))));
  const known = new Set(
    left.flatMap((entry) => scoped(entry, leftNames(entry)).filter((name) => wanted.has(name))),
  );
  const namesOf = (entry: Entry<R>) =>
    scoped(entry, rightNames(entry)).filter((name) => known.has(name) && isSurest(entry, name));
  const seen = new Set(right.flatMap((entry) => namesOf(entry).map((name) => amountKey(entry, name))));
  for (const entry of pool.right) {
    if (!namesOf(entry).some((name) => seen.has(amountKey(entry, name)))) continue;
    pool.right.delete(entry);
    pool.doubledRight.add(entry);
  }
}

function onceKeys({ scope, onceBy, amountMinor }: Entry<unknown>): string[] {
  return onceBy.map((name) => `${scope} ${name} ${amountMinor}`);
}

function scoped({ scope }: Entry<unknown>, names: readonly string[]): string[] {
  return names.map((name) => `${scope}|${name}`);
}

/** Whoever has an end-to-end id is known by it alone: a reference may be used again. */
function isSurest({ scope, ids: { endToEndId } }: Entry<unknown>, name: string): boolean {
  return endToEndId === null || name === `${scope}|0 ${endToEndId}`;
}

function amountKey({ installment, amountMinor }: Entry<unknown>, name: string): string {
  return `${name} ${installment} ${amountMinor}`;
}
