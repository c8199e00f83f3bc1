/** What the primary sends to a sibling. */
export type ToSibling =
  | { readonly kind: "ask"; readonly id: number; readonly what: Question }
  /** It drains and ends. */
  | { readonly kind: "end" };

/** What a sibling sends to the primary. */
export type FromSibling =
  | { readonly kind: "started" }
  | { readonly kind: "failed"; readonly reason: string }
  | { readonly kind: "answer"; readonly id: number; readonly value: unknown };

/** "metrics": its metrics as JSON. "readiness": true if it can serve. */
export type Question = "metrics" | "readiness";

/** The variables that make a process a sibling. */
export const SEAT = { number: "PAYLINK_SIBLING", databaseUrl: "PAYLINK_SIBLING_DATABASE_URL" } as const;

/** The sibling that also works in the background, prepares the database and creates the demo. It starts first. */
export const FIRST = 1;
