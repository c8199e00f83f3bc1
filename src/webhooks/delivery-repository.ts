import type { EventType } from "../../contract/event-types.ts";
import type { Environment } from "../platform/db/database.ts";
import { COUNTED_MAX } from "../platform/db/keyset-page.ts";
import { queryName } from "../platform/db/query-name.ts";
import { WebhookAttempt, type AttemptRow, type DeliveryRow, type DeliveryStatus } from "./entities.ts";
import type { Page } from "./repository.ts";
import { ATTEMPTS_KEPT } from "./retention.ts";

/** Deliveries of an endpoint whose attempts are summed. */
const SUMMED_MAX = 500;

export interface DeliveryFilter {
  readonly eventId?: string | undefined;
  readonly endpointId?: string | undefined;
  readonly status?: DeliveryStatus | undefined;
  readonly eventType?: string | undefined;
  readonly since?: Date | undefined;
  /** Exclusive. */
  readonly until?: Date | undefined;
}

/** A delivery with the type of its event. */
export type TypedDelivery = DeliveryRow & { readonly eventType: EventType };

/** The row as the pool reads it: times are texts. */
type Read = Omit<TypedDelivery, "nextAttemptAt" | "createdAt"> & {
  readonly nextAttemptAt: string | null;
  readonly createdAt: string;
};

const COLUMNS = `d.tenant_id AS "tenantId", d.id, d.event_id AS "eventId", d.endpoint_id AS "endpointId", d.status, d.round,
  d.round_attempt_count AS "roundAttemptCount", d.attempt_count AS "attemptCount", d.next_attempt_at AS "nextAttemptAt",
  d.last_status_code AS "lastStatusCode", d.last_error AS "lastError", d.created_at AS "createdAt", e.type AS "eventType"`;
const FROM = `FROM webhook_delivery d JOIN event e ON e.tenant_id = d.tenant_id AND e.id = d.event_id`;

export async function findDelivery(
  environment: Environment,
  tenantId: string,
  id: string,
): Promise<TypedDelivery | undefined> {
  return (await findDeliveries(environment, tenantId, [id]))[0];
}

/**
 * Returns the deliveries with these ids, in the order in which they are sent again: two concurrent calls then never
 * deadlock.
 */
export async function findDeliveries(
  { pool }: Environment,
  tenantId: string,
  ids: readonly string[],
): Promise<TypedDelivery[]> {
  const { rows } = await pool.query<Read>({
    name: "find deliveries",
    text: `SELECT ${COLUMNS} ${FROM} WHERE d.tenant_id = $1 AND d.id = ANY ($2)
      ORDER BY d.event_id, d.endpoint_id`,
    values: [tenantId, ids],
  });
  return rows.map(toRow);
}

/** Returns the deliveries of these events, newest first. */
export async function listDeliveriesOf(
  { pool }: Environment,
  tenantId: string,
  eventIds: readonly string[],
): Promise<TypedDelivery[]> {
  const { rows } = await pool.query<Read>({
    name: "deliveries of events",
    text: `SELECT ${COLUMNS} ${FROM} WHERE d.tenant_id = $1 AND d.event_id = ANY ($2) ORDER BY d.id DESC`,
    values: [tenantId, eventIds],
  });
  return rows.map(toRow);
}

/** Returns the deliveries that match the filter, newest first or oldest first. */
export async function listDeliveries(
  { pool }: Environment,
  tenantId: string,
  filter: DeliveryFilter,
  { startingAfter, limit }: Page,
  isOldestFirst = false,
): Promise<TypedDelivery[]> {
  const [sign, way] = isOldestFirst ? [">", "ASC"] : ["<", "DESC"];
  const { text, values } = conditionsOf(filter, [[`d.id ${sign}`, startingAfter]]);
  const { rows } = await pool.query<Read>({
    name: queryName(`list deliveries ${way}`, text),
    text: `SELECT ${COLUMNS} ${FROM} WHERE d.tenant_id = $1${text} ORDER BY d.id ${way} LIMIT $2`,
    values: [tenantId, limit, ...values],
  });
  return rows.map(toRow);
}

/** Returns the number of deliveries that match the filter, at most 1001. */
export async function countDeliveries(
  { pool }: Environment,
  tenantId: string,
  filter: DeliveryFilter,
): Promise<number> {
  const { text, values } = conditionsOf(filter);
  const { rows } = await pool.query<{ count: number }>({
    name: queryName("count deliveries", text),
    text: `SELECT count(*)::int FROM (SELECT ${FROM} WHERE d.tenant_id = $1${text} LIMIT $2) AS counted`,
    values: [tenantId, COUNTED_MAX, ...values],
  });
  return rows[0]?.count ?? 0;
}

type Condition = readonly [condition: string, value: unknown];

/** Returns the conditions whose values are given, with parameters from $3 on. */
function conditionsOf(
  { eventId, endpointId, status, eventType, since, until }: DeliveryFilter,
  more: readonly Condition[] = [],
): { readonly text: string; readonly values: readonly unknown[] } {
  const all: readonly Condition[] = [
    ["d.event_id =", eventId],
    ["d.endpoint_id =", endpointId],
    ["d.status =", status],
    ["e.type =", eventType],
    ["d.created_at >=", since],
    ["d.created_at <", until],
    ...more,
  ];
  const given = all.filter(([, value]) => value !== undefined);
  return {
    text: given.map(([condition], index) => ` AND ${condition} $${index + 3}`).join(""),
    values: given.map(([, value]) => value),
  };
}

/** Returns a delivery's newest attempts, as many as are kept, oldest first. */
export async function listAttempts(
  { orm }: Environment,
  tenantId: string,
  deliveryId: string,
): Promise<AttemptRow[]> {
  const newest = { orderBy: { number: "desc" }, limit: ATTEMPTS_KEPT } as const;
  return (await orm.em.fork().find(WebhookAttempt, { tenantId, deliveryId }, newest)).toReversed();
}

/** What became of the latest attempts of an endpoint. */
interface AttemptSum {
  readonly endpointId: string;
  readonly attemptCount: number;
  readonly failedCount: number;
  readonly isFailing: boolean;
  readonly lastAttemptAt: Date;
}

/** Returns the attempts since a time of each endpoint's newest deliveries, which bound what is read. */
export async function sumAttempts(
  { pool }: Environment,
  tenantId: string,
  since: Date,
): Promise<AttemptSum[]> {
  const { rows } = await pool.query<Omit<AttemptSum, "lastAttemptAt"> & { lastAttemptAt: string }>({
    name: "sums of attempts",
    text: `SELECT e.id AS "endpointId", count(*)::int AS "attemptCount", count(a.error)::int AS "failedCount",
        (array_agg(a.error IS NOT NULL ORDER BY a.started_at DESC, a.number DESC))[1] AS "isFailing",
        max(a.started_at) AS "lastAttemptAt"
      FROM webhook_endpoint e CROSS JOIN LATERAL (
        SELECT id FROM webhook_delivery WHERE tenant_id = $1 AND endpoint_id = e.id ORDER BY id DESC LIMIT ${SUMMED_MAX}
      ) AS d JOIN webhook_attempt a ON a.tenant_id = $1 AND a.delivery_id = d.id AND a.started_at >= $2
      WHERE e.tenant_id = $1 AND e.deleted_at IS NULL GROUP BY e.id ORDER BY e.id`,
    values: [tenantId, since],
  });
  return rows.map((row) => ({ ...row, lastAttemptAt: new Date(row.lastAttemptAt) }));
}

function toRow({ nextAttemptAt, createdAt, ...row }: Read): TypedDelivery {
  return {
    ...row,
    nextAttemptAt: nextAttemptAt === null ? null : new Date(nextAttemptAt),
    createdAt: new Date(createdAt),
  };
}
