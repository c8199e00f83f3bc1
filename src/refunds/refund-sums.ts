import { TIME_ZONE } from "../../contract/day.ts";
import type { Environment } from "../platform/database.ts";
import { periodWithin } from "../platform/period.ts";

const DAYS_MAX = 366;

/** Money that went back on a day, counted and summed. */
export interface RefundSum {
  /** YYYY-MM-DD in São Paulo. */
  readonly day: string;
  readonly isReturn: boolean;
  readonly isOfExceptions: boolean;
  readonly refundCount: bigint;
  readonly amountMinor: bigint;
}

/**
 * Returns the money that left on each day of a period, newest day first. A refund that succeeded never changes again,
 * and counts on the day on which it was found to have left, so the sum of a day that has ended stays. Errors: invalid_request on from or to.
 */
export async function refundSums(
  { pool }: Environment,
  tenantId: string,
  from: string,
  to: string,
): Promise<RefundSum[]> {
  const period = periodWithin(from, to, DAYS_MAX);
  const { rows } = await pool.query<
    Pick<RefundSum, "day" | "isReturn" | "isOfExceptions"> & { count: string; sum: string }
  >({
    name: "refund sums",
    text: `SELECT to_char(updated_at AT TIME ZONE '${TIME_ZONE}', 'YYYY-MM-DD') AS day,
        origin = 'provider' AS "isReturn", exception_id IS NOT NULL AS "isOfExceptions",
        count(*)::text AS count, sum(amount_minor)::text AS sum
      FROM refund WHERE tenant_id = $1 AND status = 'succeeded' AND updated_at >= $2 AND updated_at < $3
      GROUP BY 1, 2, 3 ORDER BY 1 DESC, 2, 3`,
    values: [tenantId, period.from, period.until],
  });
  return rows.map(({ count, sum, ...common }) => ({
    ...common,
    refundCount: BigInt(count),
    amountMinor: BigInt(sum),
  }));
}
