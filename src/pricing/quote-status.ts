import { type QuoteStatus as StatusEnum } from "../../gen/paylink/pricing/v1/pricing_pb.ts";
import { type WordOf } from "../../contract/enum-words.ts";
import type { QuoteRow } from "./entities.ts";

/** The status of a quote: it can be accepted, was accepted, or has expired. */
export type QuoteStatus = WordOf<typeof StatusEnum>;

/** Returns the quote's status at `now`. It can be accepted up to and including its last second. */
export function quoteStatusAt({ consumedAt, expiresAt }: QuoteRow, now: Date): QuoteStatus {
  if (consumedAt) return "consumed";
  return expiresAt < now ? "expired" : "open";
}
