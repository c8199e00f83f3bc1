/** The maximum time of a request's statement, unless the operator sets another. */
export const STATEMENT_MS = 10_000;

/** The maximum time of statements that read all data: checks and seals. */
export const LONG_STATEMENT_MS = 600_000;

const MARGIN_MS = 1000;

/** Returns the time to wait for a statement that the server ends after `statementMs`. */
export function answerMsFor(statementMs: number): number {
  return statementMs + MARGIN_MS;
}
