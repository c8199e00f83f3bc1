import type pg from "pg";
import { findOverrides } from "../../../src/ledger/settlement.ts";
import { ageSeconds, endOfUse } from "../../../src/pricing/rate-age.ts";
import { formatMicros } from "../../../src/pricing/rate.ts";
import { countHeldRates, findFeedState, type FeedState } from "../../../src/pricing/rate-records.ts";
import { findingsOf, type Finding } from "./finding.ts";

const { ok, warning } = findingsOf("rates");
const HOUR_SECONDS = 3600;
// A single failure is tried again within a minute or two.
const FAILURES_MIN = 3;

/** What is known of the live mode's rate. */
export interface LiveRate {
  /** The newest spot rate. */
  readonly spot:
    | {
        readonly text: string;
        readonly source: string;
        readonly ageSeconds: number;
        readonly maxAgeSeconds: number;
        readonly isStale: boolean;
      }
    | undefined;
  readonly heldCount: number;
  readonly feed: FeedState | undefined;
}

/** Returns what is known of the live mode's rate, or undefined while its tables are not there. */
export async function lookAtRates(client: pg.Client, now: Date): Promise<LiveRate | undefined> {
  const { rows: found } = await client.query(`SELECT to_regclass('live.fx_feed') AS name`);
  if (!found[0]?.name) return undefined;
  await client.query("SET search_path TO live");
  try {
    const { rows } = await client.query<{
      micros: string;
      source: string;
      maxAgeSeconds: string;
      publishedMs: number;
    }>(`SELECT spot_micros::text AS micros, source, max_age_seconds::text AS "maxAgeSeconds",
        (extract(epoch FROM published_at) * 1000)::float8 AS "publishedMs"
      FROM fx_spot WHERE tenant_id = 'default' ORDER BY published_at DESC, id DESC LIMIT 1`);
    const [row] = rows;
    const overrides = await findOverrides(client);
    const rate = row && {
      source: row.source,
      publishedAt: new Date(row.publishedMs),
      maxAgeSeconds: BigInt(row.maxAgeSeconds),
    };
    return {
      spot: rate && {
        text: formatMicros(BigInt(row.micros)),
        source: rate.source,
        ageSeconds: ageSeconds(rate, now, overrides),
        maxAgeSeconds: Number(rate.maxAgeSeconds),
        isStale: now >= endOfUse(rate, overrides),
      },
      heldCount: await countHeldRates(client),
      feed: await findFeedState(client),
    };
  } finally {
    await client.query("RESET search_path");
  }
}

/** Judges the live mode's rate. Without one and without a source, nothing is wrong: only BRL is sold. */
export function judgeRates({ spot, heldCount, feed }: LiveRate, isFetched: boolean): Finding[] {
  const found: Finding[] = [];
  if (heldCount > 0) {
    found.push(
      warning(
        `${heldCount} fetched ${heldCount === 1 ? "rate is" : "rates are"} held: a jump of more than 5 %, or a bank day's second`,
        "Compare with the market: paylink fx held, and then paylink fx release ID.",
      ),
    );
  }
  if (isFetched && feed && feed.failureCount >= FAILURES_MIN) {
    found.push(
      warning(
        `${feed.source} failed ${feed.failureCount} times (${feed.failure}), last answer ${feed.answeredAt?.toISOString() ?? "never"}`,
        "Let the workers reach PTAX_URL, or publish a rate: paylink fx publish --mode live.",
      ),
    );
  }
  if (isFetched && !feed) {
    found.push(warning("ptax was never asked", "Run a worker: it fetches the rate."));
  }
  if (spot?.isStale) {
    found.push(
      warning(
        `live: ${textOf(spot)}: too old, and what needs a conversion is refused`,
        isFetched ? "Publish one until the source answers: paylink fx publish --mode live." : PUBLISH,
      ),
    );
  }
  if (found.length > 0) return found;
  return [ok(spot ? `live: ${textOf(spot)}` : "live: none was published, so only BRL is sold")];
}

const PUBLISH = "Publish one, paylink fx publish --mode live, or set FX_SOURCE=ptax.";

function textOf({ text, source, ageSeconds: age, maxAgeSeconds }: NonNullable<LiveRate["spot"]>): string {
  return `${text} from ${source}, ${hours(age)} of ${hours(maxAgeSeconds)} old`;
}

function hours(seconds: number): string {
  return `${Math.floor(seconds / HOUR_SECONDS)} h`;
}
