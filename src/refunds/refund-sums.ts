import { TIME_ZONE } from "../../contract/day.ts";
import type { Environment } from "../platform/db/database.ts";
import { periodWithin } from "../platform/time/period.ts";

const DAYS_MAX = 366;

/** Money that went back on a day, counted and summed. */
export interface RefundSum {
  /** YYYY-MM-DD in São Paulo. */
  readonly day: string;
  readonly isReturn: boolean;
  readonly isOfExceptions: boolean;
  readonly refundCount: bigint;
  readonly amountMinor: bigint;
  /** What came back of returns. */
  readonly reversedMinor: bigint;
}

/**
 * Returns the money that left on each day of a period, newest day first. A refund that succeeded counts on the day on
 * which it was found to have left, and what came back of a return on its own day, so the sum of a day that has ended stays. Errors: invalid_request on from or to.
 */
export async function refundSums(
  { pool }: Environment,
  tenantId: string,
  from: string,
  to: string,
): Promise<RefundSum[]> {
  const period = periodWithin(from, to, DAYS_MAX);
  const { rows } = await pool.query<
    Pick<RefundSum, "day" | "isReturn" | "isOfExceptions"> & { count: string; sum: string; reversed: string }
  >({
    name: "refund sums",
    text: `SELECT to_char(at AT TIME ZONE '${TIME_ZONE}', 'YYYY-MM-DD') AS day, "isReturn", "isOfExceptions",
        sum(count)::text AS count, sum(gone)::text AS sum, sum(reversed)::text AS reversed
      FROM (
        SELECT updated_at AS at, origin = 'provider' AS "isReturn", exception_id IS NOT NULL AS "isOfExceptions",
          1 AS count, amount_minor AS gone, 0 AS reversed
        FROM refund WHERE tenant_id = $1 AND status = 'succeeded' AND updated_at >= $2 AND updated_at < $3
        UNION ALL SELECT reversed_at, true, exception_id IS NOT NULL, 0, 0, amount_minor
        FROM refund WHERE tenant_id = $1 AND reversed_at >= $2 AND reversed_at < $3) AS moved
      GROUP BY 1, 2, 3 ORDER BY 1 DESC, 2, 3`,
    values: [tenantId, period.from, period.until],
  });
  return rows.map(({ count, sum, reversed, ...common }) => ({
    ...common,
    refundCount: BigInt(count),
    amountMinor: BigInt(sum),
    reversedMinor: BigInt(reversed),
  }));
}
