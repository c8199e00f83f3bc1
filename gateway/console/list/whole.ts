import type { Asked, Found } from "./parts.ts";

export const PAGE_OF_WHOLE = 20;
const PLACE = /^\d{1,6}$/;

/** How two rows of a list compare, by the words of its orders. */
export type Comparisons<Row> = Readonly<Record<string, (one: Row, other: Row) => number>>;

/** A page of a list that its core returns whole, with the number of all rows. */
export interface PageOfWhole<Row> extends Found<Row> {
  readonly rowCount: number;
}

/** Returns the page of a list that its core returns whole. Its cursor is the number of rows before it. */
export function pageOfWhole<Row>(
  rows: readonly Row[],
  { cursor: { startingAfter = "" }, order }: Pick<Asked<never, never>, "cursor" | "order">,
  comparisons: Comparisons<Row> = {},
): PageOfWhole<Row> {
  const compare = comparisons[order];
  const sorted = compare ? rows.toSorted(compare) : rows;
  const from = PLACE.test(startingAfter) ? Number(startingAfter) : 0;
  const end = from + PAGE_OF_WHOLE;
  return {
    rows: sorted.slice(from, end),
    next: end < rows.length ? String(end) : undefined,
    rowCount: rows.length,
  };
}

/** Returns both directions of a comparison, by the words of a column's orders. */
export function bothWays<Row>(
  word: string,
  valueOf: (row: Row) => bigint | number | undefined,
): Comparisons<Row> {
  const least = -1n;
  const ascending = (one: Row, other: Row): number => {
    const [a, b] = [valueOf(one) ?? least, valueOf(other) ?? least];
    return a < b ? -1 : a > b ? 1 : 0;
  };
  return { [`${word}_asc`]: ascending, [`${word}_desc`]: (one, other) => ascending(other, one) };
}
