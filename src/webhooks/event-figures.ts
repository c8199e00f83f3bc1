import type { Environment } from "../platform/db/database.ts";

/** Figures of one mode's events, of all tenants. */
export interface EventFigures {
  /** Events since then: what merchants are notified of. */
  readonly events: readonly { readonly type: string; readonly count: number }[];
  /** Age of the oldest event that waits for its delivery, among those that are tried next; 0: none waits. */
  readonly oldestDeliverySeconds: number;
}

// Bounds what an outage of many receivers costs here.
const DELIVERIES_MAX = 10_000;

/** Reads the figures, each by an index. */
export async function eventFigures({ pool }: Environment, since: Date, now: Date): Promise<EventFigures> {
  const events = await pool.query<EventFigures["events"][number]>({
    name: "figures of events",
    text: `SELECT e.type, count(*)::int AS count FROM identity.tenant t
      JOIN event e ON e.tenant_id = t.id AND e.created_at >= $1 GROUP BY e.type`,
    values: [since],
  });
  const waiting = await pool.query<{ seconds: number }>({
    name: "figures of deliveries",
    text: `SELECT greatest(0, coalesce(extract(epoch FROM $1::timestamptz - min(created_at)), 0))::float8 AS seconds
      FROM (SELECT created_at FROM webhook_delivery WHERE status = 'pending'
        ORDER BY next_attempt_at, tenant_id, id LIMIT ${DELIVERIES_MAX}) AS next`,
    values: [now],
  });
  return { events: events.rows, oldestDeliverySeconds: waiting.rows[0]?.seconds ?? 0 };
}
