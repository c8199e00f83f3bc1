import type pg from "pg";
import type { Environment } from "../platform/database.ts";
import type { JobQueue } from "../platform/jobs.ts";
import { sweep, type Found } from "../platform/sweep.ts";
import { GIVEN_UP, type DeliveryJob } from "./delivery.ts";

// In one transaction.
const ENDPOINTS = 40;
const DELIVERIES = 500;

interface DeletedEndpoint extends Found {
  readonly endpointId: string;
}

/**
 * Ends the deliveries that wait for endpoints that were deleted. Each look for due jobs goes through all endpoints with jobs
 * that wait, and a receiver can have an attempt wait for a day: a tenant could make and delete any number of endpoints
 * meanwhile. Any number of workers may do so at a time. Returns the number of deliveries.
 */
export async function endDeliveriesOfDeleted(
  { pool }: Environment,
  queue: Pick<JobQueue<DeliveryJob>, "waitingGroups" | "waitingIn" | "removeWaiting">,
): Promise<number> {
  return await sweep<DeletedEndpoint>({
    pool,
    batch: ENDPOINTS,
    find: async (limit, exceptTenants) => {
      const waiting = await queue.waitingGroups(pool);
      const others = waiting.filter(({ data }) => !exceptTenants.includes(data.tenantId));
      return await findDeleted(pool, others, limit);
    },
    change: async (client, tenantId, deleted) => {
      const groups = deleted.map(({ endpointId }) => endpointId);
      const jobs = await queue.waitingIn(groups, DELIVERIES, client);
      const ids = await endWaiting(
        client,
        tenantId,
        jobs.map(({ deliveryId }) => deliveryId),
      );
      await queue.removeWaiting("deliveryId", ids, client);
      return ids.length;
    },
  });
}

async function findDeleted(
  pool: pg.Pool,
  waiting: readonly { readonly group: string; readonly data: DeliveryJob }[],
  limit: number,
): Promise<DeletedEndpoint[]> {
  const { rows } = await pool.query<DeletedEndpoint>({
    name: "find deleted endpoints",
    text: `SELECT e.tenant_id AS "tenantId", e.id AS "endpointId" FROM unnest($1::text[], $2::text[]) AS w (tenant_id, id)
      JOIN webhook_endpoint e ON e.tenant_id = w.tenant_id AND e.id = w.id AND e.deleted_at IS NOT NULL LIMIT $3`,
    values: [waiting.map(({ data }) => data.tenantId), waiting.map(({ group }) => group), limit],
  });
  return rows;
}

/** Ends those that still wait and that no other transaction has locked. Returns the ids of all that it has locked. */
async function endWaiting(
  client: pg.PoolClient,
  tenantId: string,
  deliveryIds: readonly string[],
): Promise<string[]> {
  const { rows } = await client.query<{ id: string }>({
    name: "lock deliveries of deleted endpoints",
    text: `SELECT id FROM webhook_delivery WHERE tenant_id = $1 AND id = ANY ($2) ORDER BY id FOR UPDATE SKIP LOCKED`,
    values: [tenantId, deliveryIds],
  });
  const ids = rows.map(({ id }) => id);
  await client.query({
    name: "end deliveries of deleted endpoints",
    text: `UPDATE webhook_delivery SET status = $3, next_attempt_at = $4, last_status_code = $5, last_error = $6
      WHERE tenant_id = $1 AND id = ANY ($2) AND status = 'pending'`,
    values: [
      tenantId,
      ids,
      GIVEN_UP.status,
      GIVEN_UP.nextAttemptAt,
      GIVEN_UP.lastStatusCode,
      GIVEN_UP.lastError,
    ],
  });
  return ids;
}
