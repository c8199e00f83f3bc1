import { AuditEntry, type CallAudit } from "../platform/audit-entry.ts";
import { NO_ENTRY } from "../platform/audit-trail.ts";
import { insert } from "../platform/change.ts";
import type { Environment } from "../platform/database.ts";
import type { JobQueue } from "../platform/jobs.ts";
import { inTransaction } from "../platform/transaction.ts";
import { deliveryJob, newDelivery, type DeliveryJob } from "./delivery.ts";

/** An event and the endpoint to send it to again. */
interface Resend {
  readonly eventId: string;
  readonly endpointId: string;
}

interface Resending {
  readonly tenantId: string;
  readonly resends: readonly Resend[];
  readonly now: Date;
  readonly audit: CallAudit | undefined;
  readonly objectId?: string;
  readonly severalId?: string;
}

/**
 * Starts a new round of the deliveries at once, or a first one if there was none. A delivery in progress continues only
 * in the new round. Returns the deliveries' ids. The audit entry of `audit` names `objectId`; absent: the delivery if it
 * is the only one, else `severalId`.
 */
export async function resend(
  { pool, committer }: Environment,
  queue: JobQueue<DeliveryJob>,
  { tenantId, resends, now, audit, objectId, severalId = "" }: Resending,
): Promise<string[]> {
  if (resends.length === 0) return [];
  const fresh = resends.map(({ eventId, endpointId }) => newDelivery(tenantId, eventId, endpointId, now));
  return await inTransaction(pool, async (client) => {
    const { rows } = await client.query<{ id: string; round: number; endpointId: string }>({
      name: "resend",
      text: `INSERT INTO webhook_delivery AS d (tenant_id, id, event_id, endpoint_id, status, round, round_attempt_count,
          attempt_count, next_attempt_at, created_at)
        SELECT $1, new.*, 'pending', 1, 0, 0, $5, $5 FROM unnest($2::text[], $3::text[], $4::text[]) AS new
        ON CONFLICT (tenant_id, event_id, endpoint_id) DO UPDATE SET status = 'pending', round = d.round + 1,
          round_attempt_count = 0, next_attempt_at = excluded.next_attempt_at
        RETURNING id, round, endpoint_id AS "endpointId"`,
      values: [
        tenantId,
        fresh.map(({ id }) => id),
        fresh.map(({ eventId }) => eventId),
        fresh.map(({ endpointId }) => endpointId),
        now,
      ],
    });
    await queue.make(
      rows.map((row) => deliveryJob({ tenantId, ...row }, 0)),
      client,
    );
    const [only, second] = rows;
    const object = objectId ?? (only && !second ? only.id : severalId);
    const entry = audit?.entry({ objectId: object });
    if (entry) await committer.write(client, [insert(AuditEntry, entry)], NO_ENTRY);
    return rows.map((row) => row.id);
  });
}
