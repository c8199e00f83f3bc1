/** Where a page starts: after this row. */
export interface Cursor {
  readonly createdAt: Date;
  readonly id: string;
}

/** Rows of a page, and how to ask for the next one. */
export interface Page<Row> {
  readonly rows: readonly Row[];
  readonly hasMore: boolean;
  readonly nextCursor: string | undefined;
}

/** How many rows to read for a page: one more than it shows tells whether more follow. */
export function rowsToRead(limit: number): number {
  return limit + 1;
}

/** The page of `limit` rows that were read as `rowsToRead` says. */
export function pageOf<Row extends { readonly id: string }>(read: readonly Row[], limit: number): Page<Row> {
  const hasMore = read.length > limit;
  const rows = hasMore ? read.slice(0, limit) : read;
  return { rows, hasMore, nextCursor: hasMore ? rows.at(-1)?.id : undefined };
}
