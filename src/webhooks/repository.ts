import { raw } from "@mikro-orm/core";
import { defined } from "../../contract/defined.ts";
import type { EventType } from "../../contract/event-types.ts";
import { isId } from "../../contract/ids.ts";
import type { Environment } from "../platform/db/database.ts";
import { Event, WebhookEndpoint, type EndpointRow, type EventRow } from "./entities.ts";

export interface EventFilter {
  readonly type?: string | undefined;
  /** A payment, a link (whose payments' events are its own too) or an endpoint. */
  readonly objectId?: string | undefined;
  readonly isInternal?: boolean;
  readonly since?: Date | undefined;
  /** Exclusive. */
  readonly until?: Date | undefined;
}

const OF_PAYMENTS = "object_id IN (SELECT id FROM payment WHERE tenant_id = ? AND link_id = ?)";

/** A page of a list that is ordered by id, newest first. */
export interface Page {
  readonly startingAfter: string | undefined;
  readonly limit: number;
}

export async function findEndpoint(
  { orm }: Environment,
  tenantId: string,
  id: string,
): Promise<EndpointRow | null> {
  return await orm.em.fork().findOne(WebhookEndpoint, { tenantId, id, deletedAt: null });
}

/** Returns true if an endpoint was created with this submission id, even if it is deleted now. */
export async function wasMade(
  { orm }: Environment,
  tenantId: string,
  submissionId: string,
): Promise<boolean> {
  return (await orm.em.fork().count(WebhookEndpoint, { tenantId, submissionId })) > 0;
}

export async function listEndpoints({ orm }: Environment, tenantId: string): Promise<EndpointRow[]> {
  const where = { tenantId, deletedAt: null };
  return await orm.em.fork().find(WebhookEndpoint, where, { orderBy: { id: "asc" } });
}

/**
 * SQL: an endpoint with these types (none: all) receives events of a type, by its name or its kind. The trigger that inserts
 * deliveries decides alike, see `src/migrations/environment-0077.ts`.
 */
export function subscribes(eventTypes: string, type: string): string {
  return `(${eventTypes} = '{}' OR ${eventTypes} && ARRAY[${type}, split_part(${type}, '.', 1) || '.*'])`;
}

/** Returns the enabled endpoints that receive events of this type. */
export async function listSubscribed(
  { pool }: Environment,
  tenantId: string,
  type: EventType,
): Promise<string[]> {
  const { rows } = await pool.query<{ id: string }>({
    name: "subscribed endpoints",
    text: `SELECT id FROM webhook_endpoint WHERE tenant_id = $1 AND status = 'enabled' AND deleted_at IS NULL
      AND ${subscribes("event_types", "$2::text")} ORDER BY id`,
    values: [tenantId, type],
  });
  return rows.map(({ id }) => id);
}

export async function findEvent(
  { orm }: Environment,
  tenantId: string,
  id: string,
): Promise<EventRow | null> {
  return await orm.em.fork().findOne(Event, { tenantId, id });
}

export async function listEvents(
  { orm }: Environment,
  tenantId: string,
  { type, objectId, since, until, isInternal }: EventFilter,
  page: Page,
): Promise<EventRow[]> {
  const createdAt =
    since || until ? { ...(since ? { $gte: since } : {}), ...(until ? { $lt: until } : {}) } : undefined;
  const where = {
    tenantId,
    ...defined({ type: type as EventType | undefined, createdAt, isInternal }),
    ...before(page),
  };
  const em = orm.em.fork();
  const read = async (condition: Readonly<Record<string, string | never[]>>): Promise<EventRow[]> =>
    await em.find(Event, { ...where, ...condition }, { orderBy: { id: "desc" }, limit: page.limit });
  if (objectId === undefined) return await read({});
  const own = await read({ objectId });
  if (!isId("pl", objectId)) return own;
  // Two reads: with both in one condition, PostgreSQL reads all payments of the link for each page.
  const ofPayments = await read({ [raw(OF_PAYMENTS, [tenantId, objectId])]: [] });
  return [...own, ...ofPayments].toSorted((a, b) => (a.id < b.id ? 1 : -1)).slice(0, page.limit);
}

/** Returns at most `limit` events of each of these objects, all newest first. */
export async function listObjectEvents(
  { orm, pool }: Environment,
  tenantId: string,
  objectIds: readonly string[],
  limit: number,
): Promise<EventRow[]> {
  const { rows } = await pool.query<{ id: string }>({
    name: "events of objects",
    text: `SELECT e.id FROM unnest($2::text[]) AS object (id) CROSS JOIN LATERAL (
        SELECT id FROM event WHERE tenant_id = $1 AND object_id = object.id ORDER BY id DESC LIMIT $3
      ) AS e`,
    values: [tenantId, objectIds, limit],
  });
  const where = { tenantId, id: { $in: rows.map(({ id }) => id) } };
  return await orm.em.fork().find(Event, where, { orderBy: { id: "desc" } });
}

/** A place in the list of events, oldest first. */
export interface EventPosition {
  readonly createdAt: Date;
  readonly id: string;
}

/**
 * Looks at the next `limit` events after a position. Returns those that an endpoint would have been sent and has no
 * delivery of: it was disabled. `next` is absent at the end.
 */
export async function findUnsent(
  { pool }: Environment,
  { tenantId, id, eventTypes }: EndpointRow,
  after: EventPosition,
  limit: number,
): Promise<{ eventIds: string[]; next: EventPosition | undefined }> {
  const { rows } = await pool.query<{ id: string; createdAt: string; isUnsent: boolean }>({
    name: "unsent events",
    text: `SELECT e.id, e.created_at AS "createdAt",
        NOT e.is_internal AND e.type <> 'webhook.test' AND ${subscribes("$5::text[]", "e.type")}
          AND NOT EXISTS (SELECT FROM webhook_delivery d
            WHERE d.tenant_id = e.tenant_id AND d.event_id = e.id AND d.endpoint_id = $2) AS "isUnsent"
      FROM event e WHERE e.tenant_id = $1 AND e.created_at >= $3 AND (e.created_at, e.id) > ($3, $4)
      ORDER BY e.created_at, e.id LIMIT $6`,
    values: [tenantId, id, after.createdAt, after.id, eventTypes, limit],
  });
  const last = rows.length === limit ? rows.at(-1) : undefined;
  return {
    eventIds: rows.filter(({ isUnsent }) => isUnsent).map((row) => row.id),
    next: last && { createdAt: new Date(last.createdAt), id: last.id },
  };
}

function before({ startingAfter }: Page): { id?: { $lt: string } } {
  return startingAfter === undefined ? {} : { id: { $lt: startingAfter } };
}
