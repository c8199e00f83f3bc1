/** How long a statement of a request may take, unless the operator says otherwise. */
export const STATEMENT_MS = 10_000;

/** So long may what goes through all of the data take: checks, seals, the jobs' housekeeping. */
export const LONG_STATEMENT_MS = 600_000;

const MARGIN_MS = 1000;

/** How long to wait for a statement that the server ends after this time, as long as there is a server. */
export function answerMsFor(statementMs: number): number {
  return statementMs + MARGIN_MS;
}
