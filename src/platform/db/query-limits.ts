/** The maximum time of a request's query, unless the operator sets another. */
export const QUERY_MS = 10_000;

/** The maximum time of queries that read all data: checks and seals. */
export const LONG_QUERY_MS = 600_000;

const MARGIN_MS = 1000;

/** Returns the time to wait for a query that the server ends after `queryMs`. */
export function answerMsFor(queryMs: number): number {
  return queryMs + MARGIN_MS;
}
