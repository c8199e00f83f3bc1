import type { Environment } from "./platform/db/database.ts";
import { secondsAfter } from "./platform/time/clock.ts";

/** Figures of one mode's business, of all tenants. */
export interface BusinessFigures {
  /** Payments that began or changed in the last hour. */
  readonly payments: readonly { readonly method: string; readonly status: string; readonly count: number }[];
  /** Events of the last hour: what merchants are notified of. */
  readonly events: readonly { readonly type: string; readonly count: number }[];
  /** Refunds that their providers have not decided. */
  readonly openRefundCount: number;
  /** Age of the oldest event that waits for its delivery, among those that are tried next; 0: none waits. */
  readonly oldestDeliverySeconds: number;
}

const RECENT_SECONDS = 3600;
// Bounds what an outage of many receivers costs here.
const DELIVERIES_MAX = 10_000;

/** Reads the figures, each by an index. */
export async function businessFigures({ pool }: Environment, now: Date): Promise<BusinessFigures> {
  const since = secondsAfter(now, -RECENT_SECONDS);
  const payments = await pool.query<BusinessFigures["payments"][number]>({
    name: "figures of payments",
    text: `SELECT method, status, count(*)::int AS count FROM payment
      WHERE coalesce(updated_at, created_at) >= $1 GROUP BY method, status`,
    values: [since],
  });
  const events = await pool.query<BusinessFigures["events"][number]>({
    name: "figures of events",
    text: `SELECT e.type, count(*)::int AS count FROM identity.tenant t
      JOIN event e ON e.tenant_id = t.id AND e.created_at >= $1 GROUP BY e.type`,
    values: [since],
  });
  const waiting = await pool.query<{ refunds: number; oldestAtMs: number | null }>({
    name: "figures of what waits",
    text: `SELECT (SELECT count(*)::int FROM refund WHERE status IN ('requested', 'processing')) AS refunds,
      (SELECT (extract(epoch FROM min(created_at)) * 1000)::float8 FROM (SELECT created_at FROM webhook_delivery WHERE status = 'pending'
        ORDER BY next_attempt_at, tenant_id, id LIMIT ${DELIVERIES_MAX}) AS next) AS "oldestAtMs"`,
  });
  const { refunds = 0, oldestAtMs = null } = waiting.rows[0] ?? {};
  return {
    payments: payments.rows,
    events: events.rows,
    openRefundCount: refunds,
    oldestDeliverySeconds: oldestAtMs === null ? 0 : Math.max(0, (now.getTime() - oldestAtMs) / 1000),
  };
}
