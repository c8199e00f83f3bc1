import type pg from "pg";
import { AuditEntry, type CallAudit } from "../platform/rpc/audit-entry.ts";
import { NO_ENTRY } from "../platform/rpc/audit-trail.ts";
import { insert } from "../platform/write/change.ts";
import type { Environment } from "../platform/db/database.ts";
import { inTransaction } from "../platform/db/transaction.ts";
import { newDelivery } from "./delivery.ts";
import type { DeliveryRow } from "./entities.ts";
import { subscribes } from "./repository.ts";

/** An event and the endpoint to send it to again. */
interface Resend {
  readonly eventId: string;
  readonly endpointId: string;
}

interface Resending {
  readonly tenantId: string;
  /** In the order of event and endpoint. */
  readonly resends: readonly Resend[];
  readonly now: Date;
  readonly audit: CallAudit | undefined;
  readonly objectId?: string;
  readonly severalId?: string;
}

/** A delivery that is locked. `isWaiting`: an attempt of it is due, and no worker makes it. */
interface Locked extends Pick<DeliveryRow, "id"> {
  readonly isWaiting: boolean;
}

/**
 * Starts a new round of the deliveries at once, or a first one if there was none. A delivery in progress continues only
 * in the new round. One that waits for an attempt which is due already stays as it is. Returns the deliveries' ids. The
 * audit entry of `audit` names `objectId`; absent: the delivery if it is the only one, else `severalId`.
 */
export async function resend(
  { pool, committer }: Environment,
  { tenantId, resends, now, audit, objectId, severalId = "" }: Resending,
): Promise<string[]> {
  if (resends.length === 0) return [];
  return await inTransaction(pool, async (client) => {
    await insertMissing(client, tenantId, resends, now);
    const locked = await lockDeliveries(client, tenantId, resends, now);
    const others = locked.filter(({ isWaiting }) => !isWaiting);
    await startRounds(client, tenantId, idsOf(others), now);
    const [only, second] = locked;
    const object = objectId ?? (only && !second ? only.id : severalId);
    const entry = audit?.entry({ objectId: object });
    if (entry) await committer.write(client, [insert(AuditEntry, entry)], NO_ENTRY);
    return idsOf(locked);
  });
}

/** The conditions on failed deliveries that are sent again. */
export interface FailedDeliveries {
  readonly tenantId: string;
  readonly endpointId: string;
  /** Empty: all. */
  readonly eventTypes: readonly string[];
  /** The first time of their events. */
  readonly since: Date;
  /** The id of the last one before these. */
  readonly after: string;
  readonly limit: number;
}

/**
 * Starts a new round of failed deliveries at once, in the order of their ids, except of those that another call starts at
 * this moment. Returns their ids. The audit entry names the endpoint; there is none without a delivery.
 */
export async function resendFailed(
  { pool, committer }: Environment,
  { tenantId, endpointId, eventTypes, since, after, limit }: FailedDeliveries,
  { now, audit }: Pick<Resending, "now" | "audit">,
): Promise<string[]> {
  return await inTransaction(pool, async (client) => {
    const { rows } = await client.query<{ id: string }>({
      name: "lock failed deliveries",
      text: `SELECT d.id FROM webhook_delivery d JOIN event e ON e.tenant_id = d.tenant_id AND e.id = d.event_id
        WHERE d.tenant_id = $1 AND d.endpoint_id = $2 AND d.status = 'failed' AND d.id > $6 AND e.created_at >= $3
          AND e.type <> 'webhook.test' AND ${subscribes("$4::text[]", "e.type")}
        ORDER BY d.id LIMIT $5 FOR UPDATE OF d SKIP LOCKED`,
      values: [tenantId, endpointId, since, eventTypes, limit, after],
    });
    if (rows.length === 0) return [];
    await startRounds(client, tenantId, idsOf(rows), now);
    const entry = audit?.entry({ objectId: endpointId });
    if (entry) await committer.write(client, [insert(AuditEntry, entry)], NO_ENTRY);
    return idsOf(rows);
  });
}

async function insertMissing(
  client: pg.PoolClient,
  tenantId: string,
  resends: readonly Resend[],
  now: Date,
): Promise<void> {
  const fresh = resends.map(({ eventId, endpointId }) => newDelivery(tenantId, eventId, endpointId, now));
  await client.query({
    name: "insert missing deliveries",
    text: `INSERT INTO webhook_delivery (tenant_id, id, event_id, endpoint_id, status, round, round_attempt_count,
        attempt_count, next_attempt_at, created_at)
      SELECT $1, new.*, 'pending', 1, 0, 0, $5, $5 FROM unnest($2::text[], $3::text[], $4::text[]) AS new
      ON CONFLICT (tenant_id, event_id, endpoint_id) DO NOTHING`,
    values: [
      tenantId,
      idsOf(fresh),
      fresh.map(({ eventId }) => eventId),
      fresh.map(({ endpointId }) => endpointId),
      now,
    ],
  });
}

/** Locks the deliveries in the order of event and endpoint, so that concurrent calls never deadlock. */
async function lockDeliveries(
  client: pg.PoolClient,
  tenantId: string,
  resends: readonly Resend[],
  now: Date,
): Promise<Locked[]> {
  const { rows } = await client.query<Locked>({
    name: "lock deliveries to send again",
    text: `SELECT id, coalesce(next_attempt_at <= $4, false) AS "isWaiting" FROM webhook_delivery
      WHERE tenant_id = $1 AND (event_id, endpoint_id) IN (SELECT * FROM unnest($2::text[], $3::text[]))
      ORDER BY event_id, endpoint_id FOR UPDATE`,
    values: [
      tenantId,
      resends.map(({ eventId }) => eventId),
      resends.map(({ endpointId }) => endpointId),
      now,
    ],
  });
  return rows;
}

async function startRounds(
  client: pg.PoolClient,
  tenantId: string,
  ids: readonly string[],
  now: Date,
): Promise<void> {
  await client.query({
    name: "start rounds",
    text: `UPDATE webhook_delivery SET status = 'pending', round = round + 1, round_attempt_count = 0,
        next_attempt_at = $3
      WHERE tenant_id = $1 AND id = ANY ($2)`,
    values: [tenantId, ids, now],
  });
}

function idsOf(rows: readonly { readonly id: string }[]): string[] {
  return rows.map(({ id }) => id);
}
