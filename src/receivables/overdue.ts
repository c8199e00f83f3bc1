import { dayAt } from "../../contract/day.ts";
import type { Environment } from "../platform/db/database.ts";

// A provider pays on a day when banks work, and is asked again for three days before a person is.
const OVERDUE_DAYS = 3;
// A merchant needs some days to find documents.
const DEADLINE_DAYS = 3;

/** What of card providers' money needs a person, in all tenants. */
export interface ReceivablesStanding {
  /** Payments of which money was expected at the provider more than three days ago, and is not settled. */
  readonly overdueCount: number;
  /** Contests that can still be answered, and no more after three days. */
  readonly deadlineCount: number;
}

/** A payment whose money is overdue at its card provider. */
export interface OverduePayment {
  readonly paymentId: string;
  /** The first day on which an installment was expected that is not settled, YYYY-MM-DD. */
  readonly expectedOn: string;
}

export async function findReceivablesStanding(
  { pool }: Environment,
  nowMs: number,
): Promise<ReceivablesStanding> {
  const today = dayAt(nowMs);
  const { rows } = await pool.query<ReceivablesStanding>({
    name: "standing of receivables",
    text: `SELECT
        (SELECT count(*)::int FROM charge
          WHERE settlement_due_on < $1 AND settlement_check_at IS NOT NULL) AS "overdueCount",
        (SELECT count(*)::int FROM dispute
          WHERE status = 'needs_response' AND respond_by BETWEEN $2 AND $3) AS "deadlineCount"`,
    values: [overdueBefore(nowMs), today.toString(), today.add({ days: DEADLINE_DAYS }).toString()],
  });
  return rows[0] ?? { overdueCount: 0, deadlineCount: 0 };
}

/** Returns at most `limit` payments of a tenant whose money is overdue at their provider, the longest overdue first. */
export async function listOverdue(
  { pool }: Environment,
  tenantId: string,
  nowMs: number,
  limit: number,
): Promise<OverduePayment[]> {
  const { rows } = await pool.query<OverduePayment>({
    name: "overdue receivables",
    text: `SELECT payment_id AS "paymentId", settlement_due_on::text AS "expectedOn" FROM charge
      WHERE tenant_id = $1 AND settlement_due_on < $2 AND settlement_check_at IS NOT NULL
      ORDER BY settlement_due_on, payment_id LIMIT $3`,
    values: [tenantId, overdueBefore(nowMs), limit],
  });
  return rows;
}

/** Returns the first day, YYYY-MM-DD, on which what is expected is not overdue yet. */
function overdueBefore(nowMs: number): string {
  return dayAt(nowMs).subtract({ days: OVERDUE_DAYS }).toString();
}
