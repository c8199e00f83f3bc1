import type { QuoteRow } from "./entities.ts";

/** Where a quote stands: it can be accepted, was accepted, or is past its validity. */
export type QuoteStatus = "open" | "consumed" | "expired";

/** Where the quote stands at `now`; up to and with its last second it can be accepted. */
export function quoteStatusAt({ consumedAt, expiresAt }: QuoteRow, now: Date): QuoteStatus {
  if (consumedAt) return "consumed";
  return expiresAt < now ? "expired" : "open";
}
