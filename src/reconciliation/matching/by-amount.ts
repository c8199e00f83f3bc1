import { take, type Entry, type Pool } from "./entry.ts";

interface Bucket<L, R> {
  readonly day: string;
  readonly left: Entry<L>[];
  readonly right: Entry<R>[];
}

/**
 * Matches entries of one amount and day within one account: one on each side, or as many on each side, which are then
 * interchangeable, so that no figure depends on which goes with which. Of unequal numbers none is matched.
 */
export function matchByAmount<L, R>(pool: Pool<L, R>): void {
  const buckets = new Map<string, Bucket<L, R>>();
  const bucketOf = ({ scope, amountMinor }: Entry<unknown>, day: string): Bucket<L, R> => {
    const key = `${scope} ${day} ${amountMinor}`;
    const bucket = buckets.get(key) ?? { day, left: [], right: [] };
    buckets.set(key, bucket);
    return bucket;
  };
  for (const entry of pool.right) bucketOf(entry, entry.day).right.push(entry);
  for (const entry of pool.left) {
    for (const day of daysOf(entry)) bucketOf(entry, day).left.push(entry);
  }
  const found = [...buckets.values()].filter(({ left, right }) => left.length > 0 && right.length > 0);
  for (const bucket of found.toSorted((a, b) => (a.day < b.day ? -1 : Number(a.day > b.day)))) {
    matchBucket(pool, bucket);
  }
}

/** The days on which the other side may book an entry: its own, and the one that the provider named. */
export function daysOf({ day, dueOn }: Entry<unknown>): readonly string[] {
  return day === dueOn ? [day] : [day, dueOn];
}

function matchBucket<L, R>(pool: Pool<L, R>, bucket: Bucket<L, R>): void {
  const left = bucket.left.filter((entry) => pool.left.has(entry));
  const named = new Set(left.flatMap(namedBy));
  // What names another one by an id that the left side has is none of it.
  const right = bucket.right.filter(
    (entry) => pool.right.has(entry) && !namedBy(entry).some((by) => named.has(by)),
  );
  if (left.length !== right.length) return;
  if (left.some(({ accountId }) => accountId !== left[0]?.accountId)) return;
  for (const [index, entry] of left.entries()) {
    const other = right[index];
    const rule = entry.lines.length > 1 ? "settlement_id" : "amount_and_day";
    if (other) take(pool, { rule, left: [entry], right: [other] });
  }
}

/** Returns the kinds of ids that an entry has. Two entries that both have one would be matched by it, or are not the same. */
export function namedBy({ ids }: Entry<unknown>): string[] {
  const { endToEndId, providerPaymentId, reference } = ids;
  return [
    ...(endToEndId === null ? [] : [`e2e ${endToEndId[0]}`]),
    ...(providerPaymentId === null ? [] : ["provider's payment"]),
    ...(reference === null ? [] : ["reference"]),
  ];
}
