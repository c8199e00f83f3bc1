import { invalidRequest } from "./errors.ts";
import { isId } from "./ids.ts";

/** Where a page starts: after this row. */
export interface Cursor {
  readonly createdAt: Date;
  readonly id: string;
}

/** Rows of a page, and how to ask for the next one. */
export interface KeysetPage<Row> {
  readonly rows: readonly Row[];
  readonly hasMore: boolean;
  readonly nextCursor: string | undefined;
}

interface KeysetList<Row, After> {
  readonly limit: number;
  /** The id of the last row of the page before; undefined: the first page. */
  readonly startingAfter: string | undefined;
  /** What `startingAfter` must be, for the error, such as "the id of a payment". */
  readonly what: string;
  /** Returns where the page starts, or null or undefined if there is no such row. */
  readonly find: (id: string) => Promise<After | null | undefined>;
  readonly read: (after: After | undefined, rowCount: number) => Promise<readonly Row[]>;
}

/**
 * Reads a page of a list that is ordered by a key. One row more than the page shows tells whether more follow.
 * Error: invalid_request on starting_after.
 */
export async function keysetPage<Row extends { readonly id: string }, After>({
  limit,
  startingAfter,
  what,
  find,
  read,
}: KeysetList<Row, After>): Promise<KeysetPage<Row>> {
  const after = startingAfter === undefined ? undefined : await find(startingAfter);
  if (startingAfter !== undefined && (after === null || after === undefined)) {
    throw invalidRequest("starting_after", `starting_after is not ${what}.`);
  }
  const found = await read(after ?? undefined, limit + 1);
  const hasMore = found.length > limit;
  const rows = hasMore ? found.slice(0, limit) : found;
  return { rows, hasMore, nextCursor: hasMore ? rows.at(-1)?.id : undefined };
}

/** Finds a page's start in a list that is ordered by ids alone, from the id itself. */
export function idAsCursor(prefix: Parameters<typeof isId>[0]): (id: string) => Promise<string | undefined> {
  return async (id) => await Promise.resolve(isId(prefix, id) ? id : undefined);
}
