import { TIME_ZONE } from "../../contract/day.ts";
import type { ProviderEntryKind } from "../ledger/provider-postings.ts";
import type { Environment } from "../platform/db/database.ts";
import { periodWithin } from "../platform/time/period.ts";

const DAYS_MAX = 366;

/** What providers said on a day, in centavos by kind. A kind of which nothing was said is absent. */
export interface ReceivableSum {
  /** YYYY-MM-DD in São Paulo. */
  readonly day: string;
  readonly amounts: ReadonlyMap<ProviderEntryKind, bigint>;
}

/**
 * Returns what card providers said on each day of a period, newest day first. A fact never changes and counts on the day
 * on which it was booked, so the sum of a day that has ended stays. Errors: invalid_request on from or to.
 */
export async function receivableSums(
  { pool }: Environment,
  tenantId: string,
  from: string,
  to: string,
): Promise<ReceivableSum[]> {
  const period = periodWithin(from, to, DAYS_MAX);
  const { rows } = await pool.query<{ day: string; kind: ProviderEntryKind; sum: string }>({
    name: "receivable sums",
    text: `SELECT to_char(created_at AT TIME ZONE '${TIME_ZONE}', 'YYYY-MM-DD') AS day, kind,
        sum(amount_minor)::text AS sum
      FROM receivable_fact WHERE tenant_id = $1 AND created_at >= $2 AND created_at < $3 AND amount_minor <> 0
      GROUP BY 1, 2 ORDER BY 1 DESC`,
    values: [tenantId, period.from, period.until],
  });
  return [...Map.groupBy(rows, ({ day }) => day)].map(([day, same]) => ({
    day,
    amounts: new Map(same.map(({ kind, sum }) => [kind, BigInt(sum)])),
  }));
}
