import type { Mode } from "../platform/rpc/caller.ts";
import type { Clock } from "../platform/time/clock.ts";
import type { Environment } from "../platform/db/database.ts";
import { DEFAULT_TENANT } from "./repository.ts";
import type { PriceBook } from "./price-book.ts";
import { countHeldRates, findFeedState, type FeedState } from "./rate-records.ts";

/** A mode's newest rate, and what is known of its source. */
export interface RateStanding {
  readonly mode: Mode;
  /** Undefined: no rate was ever published. */
  readonly rate:
    | { readonly source: string; readonly ageSeconds: number; readonly maxAgeSeconds: number }
    | undefined;
  readonly heldCount: number;
  readonly feed: FeedState | undefined;
}

/** Returns the rates' standings of the given modes, for metrics. */
export async function rateStandings(
  environments: Readonly<Record<Mode, Environment>>,
  bookOf: (mode: Mode, tenantId: string) => Promise<PriceBook>,
  modes: readonly Mode[],
  clock: Clock,
): Promise<RateStanding[]> {
  const now = new Date(clock.nowMs());
  return await Promise.all(
    modes.map(async (mode) => {
      const book = await bookOf(mode, DEFAULT_TENANT);
      const { pool } = environments[mode];
      const [heldCount, feed] = [await countHeldRates(pool), await findFeedState(pool)];
      const { spot } = book;
      const rate = spot && {
        source: spot.source,
        ageSeconds: book.rateAgeSeconds(now),
        maxAgeSeconds: Number(spot.maxAgeSeconds),
      };
      return { mode, rate: rate ?? undefined, heldCount, feed };
    }),
  );
}
