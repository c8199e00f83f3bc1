import type { Environment } from "../platform/db/database.ts";

/** Figures of one mode's payments and refunds, of all tenants. */
export interface PaymentFigures {
  /** Payments that began or changed since then. */
  readonly payments: readonly { readonly method: string; readonly status: string; readonly count: number }[];
  /** Refunds that their providers have not decided. */
  readonly openRefundCount: number;
}

/** Reads the figures, each by an index. */
export async function paymentFigures({ pool }: Environment, since: Date): Promise<PaymentFigures> {
  const payments = await pool.query<PaymentFigures["payments"][number]>({
    name: "figures of payments",
    text: `SELECT method, status, count(*)::int AS count FROM payment
      WHERE coalesce(updated_at, created_at) >= $1 GROUP BY method, status`,
    values: [since],
  });
  const refunds = await pool.query<{ count: number }>({
    name: "figures of refunds",
    text: "SELECT count(*)::int AS count FROM refund WHERE status IN ('requested', 'processing')",
  });
  return { payments: payments.rows, openRefundCount: refunds.rows[0]?.count ?? 0 };
}
