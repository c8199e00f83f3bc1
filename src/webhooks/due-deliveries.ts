import type { Clock } from "../platform/time/clock.ts";
import type { Environment } from "../platform/db/database.ts";
import { dueRows } from "../platform/work/due-table.ts";
import type { DueRow, DueRows } from "../platform/work/due-work.ts";
import type { EndpointRow } from "./entities.ts";

const COUNTED_MAX = 100_000;
/** The attempts of one endpoint that a worker makes at a time. */
export const ENDPOINT_ATTEMPTS = 8;

/** A delivery that is due for an attempt. Its account is its endpoint. */
export interface DueDelivery extends DueRow {
  readonly deliveryId: string;
  readonly accountId: EndpointRow["id"];
  readonly round: number;
}

/**
 * Returns the deliveries that wait, each due for an attempt. One that was taken is another worker's after `leaseSeconds`,
 * which are longer than an attempt may take. They are found endpoint by endpoint: those of a receiver that does not answer
 * may be a hundred thousand, and are not read to find those of others.
 */
export function dueDeliveries(
  { pool }: Pick<Environment, "pool">,
  clock: Clock,
  leaseSeconds: number,
): DueRows<DueDelivery> {
  const rows = dueRows<DueDelivery>(pool, clock, {
    name: "deliveries",
    table: "webhook_delivery",
    key: ["deliveryId"],
    due: "next_attempt_at",
    where: "status = 'pending'",
    columns: { tenantId: "tenant_id", deliveryId: "id", accountId: "endpoint_id", round: "round" },
    taken: `next_attempt_at = $1::timestamptz + interval '${leaseSeconds} seconds'`,
  });
  return {
    ...rows,
    // A new round does not wait for the attempt of the one before it.
    idOf: ({ deliveryId, round }) => `${deliveryId} ${round}`,
    find: async (limit, { accounts, tenants }) => {
      const { rows: due } = await pool.query<DueDelivery>({
        name: "find due deliveries by endpoint",
        text: `WITH RECURSIVE waiting AS (
            (${firstWaiting("")})
            UNION ALL
            SELECT following.* FROM waiting w
              CROSS JOIN LATERAL (${firstWaiting("AND (tenant_id, endpoint_id) > (w.tenant_id, w.endpoint_id)")}) following
          )
          SELECT tenant_id AS "tenantId", due.id AS "deliveryId", endpoint_id AS "accountId", due.round FROM waiting w
            CROSS JOIN LATERAL (
              SELECT id, round, next_attempt_at FROM webhook_delivery d
              WHERE d.tenant_id = w.tenant_id AND d.endpoint_id = w.endpoint_id AND status = 'pending'
                AND next_attempt_at <= $1
              ORDER BY next_attempt_at LIMIT ${ENDPOINT_ATTEMPTS}
            ) due
          WHERE endpoint_id <> ALL ($3) AND tenant_id <> ALL ($4) ORDER BY due.next_attempt_at LIMIT $2`,
        values: [new Date(clock.nowMs()), limit, accounts, tenants],
      });
      return due;
    },
  };
}

/** The deliveries that wait for an attempt. */
export interface DeliveryState {
  /** Those whose attempt is due, of the first 100,000. */
  readonly dueCount: number;
  /** Those of them whose attempt is due later, also while a worker makes one. */
  readonly deferredCount: number;
  /** How long the oldest due one waits. */
  readonly oldestDueSeconds: number;
}

export async function deliveryState(
  { pool }: Pick<Environment, "pool">,
  clock: Clock,
): Promise<DeliveryState> {
  const { rows } = await pool.query<DeliveryState>({
    name: "state of deliveries",
    text: `SELECT count(*) FILTER (WHERE next_attempt_at <= $1)::int AS "dueCount",
        count(*) FILTER (WHERE next_attempt_at > $1)::int AS "deferredCount",
        greatest(0, coalesce(extract(epoch FROM $1 - min(next_attempt_at)), 0))::float8 AS "oldestDueSeconds"
      FROM (SELECT next_attempt_at FROM webhook_delivery WHERE status = 'pending'
        ORDER BY next_attempt_at, tenant_id, id LIMIT ${COUNTED_MAX}) AS waiting`,
    values: [new Date(clock.nowMs())],
  });
  return rows[0] as DeliveryState;
}

/** SQL: the first endpoint for which deliveries wait, or the first one of further endpoints. */
function firstWaiting(further: string): string {
  return `SELECT tenant_id, endpoint_id FROM webhook_delivery WHERE status = 'pending' ${further}
    ORDER BY tenant_id, endpoint_id LIMIT 1`;
}
