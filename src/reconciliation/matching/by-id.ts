import { sumOf, take, type Entry, type Ids, type Pool } from "./entry.ts";
import type { Rule } from "./lines.ts";

/** One way by which an entry on the right can name one on the left. */
interface Pass {
  readonly rule: Rule;
  readonly left: (ids: Ids) => string | null;
  readonly right: (ids: Ids) => readonly (string | null)[];
}

/** The surest first. A name is compared with its own kind: a provider's number may be a merchant's order, too. */
const PASSES: readonly Pass[] = [
  {
    rule: "end_to_end_id",
    left: ({ endToEndId }) => endToEndId,
    right: ({ endToEndId }) => [endToEndId],
  },
  {
    rule: "reference",
    left: ({ own }) => own,
    right: ({ own, reference, words }) => [own, reference, ...words],
  },
  {
    rule: "reference",
    left: ({ providerPaymentId }) => providerPaymentId,
    right: ({ providerPaymentId, words }) => [providerPaymentId, ...words],
  },
  {
    rule: "reference",
    left: ({ reference }) => reference,
    right: ({ reference, words }) => [reference, ...words],
  },
  {
    rule: "reference",
    left: ({ paymentId }) => paymentId,
    right: ({ reference, words }) => [reference, ...words],
  },
  {
    rule: "settlement_id",
    left: ({ settlementId }) => settlementId,
    right: ({ settlementId, words }) => [settlementId, ...words],
  },
];

interface Group<L, R> {
  readonly left: Entry<L>[];
  readonly right: Entry<R>[];
}

/** Matches entries that name each other, whatever their days are. Those of different amounts match too, and differ. */
export function matchById<L, R>(pool: Pool<L, R>): void {
  for (const pass of PASSES) {
    for (const group of groupsOf(pool, pass)) matchGroup(pool, pass.rule, group);
  }
}

/** Returns names of an entry on the left, and names by which one on the right may mean it: `<place of the pass> <name>`. */
export function leftNames({ ids }: Entry<unknown>): string[] {
  return PASSES.flatMap(({ left }, place) => {
    const name = left(ids);
    return name === null ? [] : [`${place} ${name}`];
  });
}

export function rightNames({ ids }: Entry<unknown>): string[] {
  return PASSES.flatMap(({ right }, place) =>
    right(ids).flatMap((name) => (name === null ? [] : [`${place} ${name}`])),
  );
}

function groupsOf<L, R>(pool: Pool<L, R>, { left, right }: Pass): Group<L, R>[] {
  const groups = new Map<string, Map<string, Group<L, R>>>();
  for (const entry of pool.left) {
    const name = left(entry.ids);
    if (name === null) continue;
    let ofScope = groups.get(entry.scope);
    if (!ofScope) groups.set(entry.scope, (ofScope = new Map()));
    const group = ofScope.get(name);
    if (group) group.left.push(entry);
    else ofScope.set(name, { left: [entry], right: [] });
  }
  const found = new Set<Group<L, R>>();
  for (const entry of pool.right) {
    const ofScope = groups.get(entry.scope);
    if (!ofScope) continue;
    for (const name of right(entry.ids)) {
      const group = name === null ? undefined : ofScope.get(name);
      if (!group) continue;
      group.right.push(entry);
      found.add(group);
      break;
    }
  }
  return [...found];
}

/** Matches entries of one name: equal ones first, then what is left where only one answer is possible. */
function matchGroup<L, R>(pool: Pool<L, R>, rule: Rule, group: Group<L, R>): void {
  if (group.left.length === 1 && group.right.length === 1) {
    // A settlement is one, and its sum may even have the other sign.
    if (rule === "settlement_id" || belongTogether(group.left, group.right)) take(pool, { rule, ...group });
    return;
  }
  const matched = new Set<string>();
  const matchEqual = (keyOf: (entry: Entry<unknown>) => string | null): void => {
    for (const [left, right] of equalPairs(pool, group, keyOf)) {
      take(pool, { rule, left: [left], right: [right] });
      matched.add(amountKey(right));
    }
  };
  matchEqual((entry) => `${amountKey(entry)} ${entry.day}`);
  matchEqual(amountKey);
  // Where one side says no installment, the amount decides.
  const hasUnnumbered = [...group.left, ...group.right].some(({ installment }) => installment === null);
  if (hasUnnumbered) matchEqual(({ amountMinor }) => `${amountMinor}`);

  const left = group.left.filter((entry) => pool.left.has(entry));
  // What equals a matched one is that one twice, and no other's changed amount.
  const right = group.right.filter((entry) => pool.right.has(entry) && !matched.has(amountKey(entry)));
  if (left.length === 0 || right.length === 0) return;
  if (belongTogether(left, right)) take(pool, { rule, left, right });
  else matchInstallments(pool, rule, left, right);
}

/** Pairs entries of one key, in their order, each once. */
function* equalPairs<L, R>(
  pool: Pool<L, R>,
  group: Group<L, R>,
  keyOf: (entry: Entry<unknown>) => string | null,
): Generator<[Entry<L>, Entry<R>]> {
  const waiting = new Map<string, Entry<L>[]>();
  for (const entry of group.left.toReversed()) {
    if (!pool.left.has(entry)) continue;
    const key = `${keyOf(entry)} ${idClass(entry)}`;
    const queue = waiting.get(key);
    if (queue) queue.push(entry);
    else waiting.set(key, [entry]);
  }
  for (const right of group.right) {
    if (!pool.right.has(right)) continue;
    for (const leftClass of ID_CLASSES) {
      const queue = waiting.get(`${keyOf(right)} ${leftClass}`);
      const left = queue?.at(-1);
      if (!queue || !left || contradict(left, right)) continue;
      queue.pop();
      yield [left, right];
      break;
    }
  }
}

/** One on each side, several that make the same sum, or a fee in parts. */
function belongTogether(left: readonly Entry<unknown>[], right: readonly Entry<unknown>[]): boolean {
  const [firstLeft, firstRight] = [left[0], right[0]];
  if (!firstLeft || !firstRight) return false;
  if (left.length === 1 && right.length === 1) {
    return !contradict(firstLeft, firstRight) && isSameMovement(firstLeft, firstRight);
  }
  if (isContradicted(left, right)) return false;
  if (sumOf(left) === sumOf(right)) return true;
  return (
    left.length === 1 &&
    firstLeft.scope.endsWith(" fee") &&
    right.every((entry) => isSameMovement(firstLeft, entry))
  );
}

/** Matches those of one installment, if it has one entry on each side. */
function matchInstallments<L, R>(pool: Pool<L, R>, rule: Rule, left: Entry<L>[], right: Entry<R>[]): void {
  const rightOf = Map.groupBy(right, ({ installment }) => installment);
  for (const [installment, ours] of Map.groupBy(left, (entry) => entry.installment)) {
    const theirs = rightOf.get(installment) ?? [];
    if (installment !== null && belongTogether(ours, theirs)) take(pool, { rule, left: ours, right: theirs });
  }
}

function isSameMovement(one: Entry<unknown>, other: Entry<unknown>): boolean {
  const isOtherInstallment =
    one.installment !== null && other.installment !== null && one.installment !== other.installment;
  return !isOtherInstallment && one.amountMinor > 0n === other.amountMinor > 0n;
}

/** Two end-to-end ids that differ are two movements, whatever else is the same. A return's id says nothing of a payment's. */
function contradict(
  { ids: { endToEndId: one } }: Entry<unknown>,
  { ids: { endToEndId: other } }: Entry<unknown>,
) {
  return one !== null && other !== null && one !== other && one[0] === other[0];
}

/** Whether an entry of one side contradicts one of the other, in linear time. */
function isContradicted(left: readonly Entry<unknown>[], right: readonly Entry<unknown>[]): boolean {
  return ["e", "d"].some((idType) => {
    const [ours, theirs] = [left, right].map(
      (entries) =>
        new Set(entries.filter((entry) => idClass(entry) === idType).map(({ ids }) => ids.endToEndId)),
    ) as [Set<string>, Set<string>];
    return ours.size > 0 && theirs.size > 0 && ours.union(theirs).size > 1;
  });
}

const ID_CLASSES = ["", "e", "d"];

// Entries of one class all contradict each other or none does, so that a queue's first decides for the queue.
function idClass({ ids: { endToEndId } }: Entry<unknown>): string {
  return endToEndId === null ? "" : endToEndId.startsWith("d") ? "d" : "e";
}

function amountKey({ installment, amountMinor }: Entry<unknown>): string {
  return `${installment} ${amountMinor}`;
}
