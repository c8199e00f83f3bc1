import { invalidRequest } from "../rpc/errors.ts";
import { isId, type IdPrefix } from "../../../contract/ids.ts";

/** The position before a page: the page starts after this row. */
export interface Cursor {
  readonly createdAt: Date;
  readonly id: string;
}

/** More rows of a list are not counted. */
export const COUNTED_MAX = 1001;

/** The rows of a page, and the cursor of the next one. */
export interface KeysetPage<Row> {
  readonly rows: readonly Row[];
  readonly hasMore: boolean;
  readonly nextCursor: string | undefined;
}

interface KeysetList<Row, After> {
  readonly limit: number;
  /** The id of the previous page's last row; undefined: the first page. */
  readonly startingAfter: string | undefined;
  /** The meaning of `startingAfter`, for the error, such as "the id of a payment". */
  readonly what: string;
  /** Returns where the page starts, or null or undefined if there is no such row. */
  readonly find: (id: string) => Promise<After | null | undefined>;
  readonly read: (after: After | undefined, rowCount: number) => Promise<readonly Row[]>;
  /** Returns how many of the next `limit` rows are together not too large for one page: at least one. Absent: all. */
  readonly fitting?: (after: After | undefined) => Promise<number>;
}

/**
 * Returns a page of a list that is ordered by a key. It reads one row more than the page, to know if more follow.
 * Error: invalid_request on starting_after.
 */
export async function keysetPage<Row extends { readonly id: string }, After>({
  limit,
  startingAfter,
  what,
  find,
  read,
  fitting,
}: KeysetList<Row, After>): Promise<KeysetPage<Row>> {
  const after = startingAfter === undefined ? undefined : await find(startingAfter);
  if (startingAfter !== undefined && (after === null || after === undefined)) {
    throw invalidRequest(
      "starting_after",
      `starting_after is not ${what}: give the next_cursor of the page before.`,
    );
  }
  const most = fitting ? Math.min(limit, await fitting(after ?? undefined)) : limit;
  const found = await read(after ?? undefined, most + 1);
  const hasMore = found.length > most;
  const rows = hasMore ? found.slice(0, most) : found;
  return { rows, hasMore, nextCursor: hasMore ? rows.at(-1)?.id : undefined };
}

/** Returns a function that finds a page's start in a list ordered by ids, from the id itself. */
export function idAsCursor(prefix: IdPrefix): (id: string) => Promise<string | undefined> {
  return async (id) => await Promise.resolve(isId(prefix, id) ? id : undefined);
}
