import type { ServiceImpl } from "@connectrpc/connect";
import { EventBodySchema, type WebhooksService } from "../../gen/paylink/webhooks/v1/webhooks_pb.ts";
import { isId } from "../../contract/ids.ts";
import type { Call } from "../platform/rpc/call.ts";
import { hold, insert } from "../platform/write/change.ts";
import type { Environment } from "../platform/db/database.ts";
import { invalidRequest, noSuch, type PaylinkError } from "../platform/rpc/errors.ts";
import { idAsCursor, keysetPage } from "../platform/db/keyset-page.ts";
import { dateOf } from "../platform/time/timestamps.ts";
import { askedPeriod } from "./asked-period.ts";
import { findDeliveries, listDeliveriesOf } from "./delivery-repository.ts";
import { newDelivery } from "./delivery.ts";
import type { WebhooksDeps } from "./deps.ts";
import { requireEnabled } from "./endpoint.ts";
import { requireEndpoint } from "./endpoints.ts";
import { WebhookDelivery, WebhookEndpoint, type EndpointRow, type EventRow } from "./entities.ts";
import { insertEvents, newEvent } from "./event.ts";
import { toDelivery, toEvent, toSentEvent } from "./mapping.ts";
import {
  findEvent,
  findUnsent,
  listEvents,
  listObjectEvents,
  listSubscribed,
  type EventPosition,
} from "./repository.ts";
import { resend, resendFailed } from "./resend.ts";

const LIMIT_DEFAULT = 20;
const RESEND_BATCH = 500;

type Rpcs = Pick<
  ServiceImpl<typeof WebhooksService>,
  | "listEvents"
  | "listObjectEvents"
  | "listSentEvents"
  | "getSentEvent"
  | "getEvent"
  | "resendEvent"
  | "resendFailedEvents"
  | "sendTestEvent"
>;

/** The RPCs of events, and those that send them again. */
export function eventRpcs(deps: WebhooksDeps): Rpcs {
  const { operations, clock, jsonWriter } = deps;
  const writeBody = jsonWriter(EventBodySchema);
  return {
    listEvents: operations.run(async (request, operation) => {
      const { tenantId, environment } = operation;
      const { startingAfter, limit = LIMIT_DEFAULT, since, type, objectId } = request;
      const filter = { type, objectId, since: since && dateOf(since) };
      const { rows, hasMore } = await keysetPage({
        limit,
        startingAfter,
        what: "the id of an item of the list",
        find: idAsCursor("evt"),
        read: (after, rowCount) =>
          listEvents(environment, tenantId, filter, { startingAfter: after, limit: rowCount }),
      });
      return { events: rows.map(toEvent), hasMore };
    }),
    listObjectEvents: operations.run(async ({ objectIds, limit = LIMIT_DEFAULT }, operation) => {
      const { tenantId, environment } = operation;
      const events = await listObjectEvents(environment, tenantId, objectIds, limit);
      const eventIds = events.map(({ id }) => id);
      const deliveries = await listDeliveriesOf(environment, tenantId, eventIds);
      const byEvent = Map.groupBy(deliveries, ({ eventId }) => eventId);
      return {
        events: events.map((event) => ({
          event: toEvent(event),
          deliveries: (byEvent.get(event.id) ?? []).map(toDelivery),
        })),
      };
    }),
    listSentEvents: operations.run(async (request, operation) => {
      const { tenantId, environment } = operation;
      const { startingAfter, limit = LIMIT_DEFAULT, type, objectId } = request;
      const filter = { type, objectId, ...askedPeriod(request), isInternal: false };
      const { rows, hasMore, nextCursor } = await keysetPage({
        limit,
        startingAfter,
        what: "the id of an event",
        find: idAsCursor("evt"),
        read: (after, rowCount) =>
          listEvents(environment, tenantId, filter, { startingAfter: after, limit: rowCount }),
      });
      return { data: rows.map(toSentEvent), hasMore, nextCursor };
    }),
    getSentEvent: operations.run(async ({ id }, { tenantId, environment }) => {
      const event = await requireEvent(environment, tenantId, id);
      if (event.isInternal) throw eventNotFound();
      return { event: toSentEvent(event) };
    }),
    getEvent: operations.run(async ({ id }, { tenantId, environment }) => ({
      event: toEvent(await requireEvent(environment, tenantId, id)),
    })),
    resendEvent: operations.run(async (request, { tenantId, environment, audit }) => {
      const event = await requireEvent(environment, tenantId, request.id);
      if (event.isInternal)
        throw invalidRequest(
          "id",
          "The event is internal and never sent: choose one that GET /v1/events lists.",
        );
      const endpointIds = await endpointsToResend(environment, event, request.endpointId);
      const pairs = endpointIds.map((endpointId) => ({ eventId: event.id, endpointId }));
      const now = new Date(clock.nowMs());
      const again = { tenantId, resends: pairs, now, audit, severalId: event.id };
      const ids = await resend(environment, again);
      return { deliveries: (await findDeliveries(environment, tenantId, ids)).map(toDelivery) };
    }),
    resendFailedEvents: operations.run(async ({ endpointId, since }, call) => {
      const from = since ? dateOf(since) : new Date(0);
      return { eventCount: await resendAll(deps, call, endpointId, from) };
    }),
    sendTestEvent: operations.write({
      decide: async ({ endpointId }, caller) => {
        const { tenantId, environment } = caller;
        requireEnabled(await requireEndpoint(environment, tenantId, endpointId));
        const now = new Date(clock.nowMs());
        const content = {
          type: "webhook.test",
          objectId: endpointId,
          reference: undefined,
          data: {},
        } as const;
        const event = newEvent(caller, content, now, writeBody);
        const delivery = newDelivery(tenantId, event.id, endpointId, now);
        const changes = [
          // If the endpoint was disabled meanwhile, the commit fails.
          hold(WebhookEndpoint, { tenantId, id: endpointId, status: "enabled", deletedAt: null }),
          ...insertEvents([event]),
          insert(WebhookDelivery, delivery),
        ];
        const response = { delivery: toDelivery({ ...delivery, eventType: event.type }) };
        return { response, changes, audit: { objectId: endpointId } };
      },
    }),
  };
}

async function requireEvent(environment: Environment, tenantId: string, id: string): Promise<EventRow> {
  const event = isId("evt", id) ? await findEvent(environment, tenantId, id) : null;
  if (!event) throw eventNotFound();
  return event;
}

function eventNotFound(): PaylinkError {
  return noSuch("event_not_found", "event");
}

/** Returns the endpoints that get the event again: the named one, or all that subscribe to its type. */
async function endpointsToResend(
  environment: Environment,
  event: EventRow,
  endpointId: string | undefined,
): Promise<string[]> {
  const isTest = event.type === "webhook.test";
  const named = endpointId ?? (isTest ? event.objectId : undefined);
  if (isTest && named !== event.objectId) {
    throw invalidRequest(
      "endpoint_id",
      "A test event is sent to its own endpoint alone: leave endpoint_id out.",
    );
  }
  if (named === undefined) return await listSubscribed(environment, event.tenantId, event.type);
  requireEnabled(await requireEndpoint(environment, event.tenantId, named));
  return [named];
}

/** Sends all undelivered events of an endpoint again. Returns their number. */
async function resendAll(
  { environments, clock }: WebhooksDeps,
  { mode, tenantId, audit }: Call,
  endpointId: string,
  since: Date,
): Promise<number> {
  const environment = environments[mode];
  const now = new Date(clock.nowMs());
  const enabled = async (): Promise<EndpointRow> => {
    const endpoint = await requireEndpoint(environment, tenantId, endpointId);
    requireEnabled(endpoint);
    return endpoint;
  };
  let count = 0;
  for (let after: string | undefined = ""; after !== undefined;) {
    const { eventTypes } = await enabled();
    const failed = { tenantId, endpointId, eventTypes, since, after, limit: RESEND_BATCH };
    const ids = await resendFailed(environment, failed, { now, audit });
    count += ids.length;
    after = ids.length < RESEND_BATCH ? undefined : ids.at(-1);
  }
  const { createdAt } = await enabled();
  let next: EventPosition | undefined = { createdAt: createdAt > since ? createdAt : since, id: "" };
  while (next) {
    const unsent = await findUnsent(environment, await enabled(), next, RESEND_BATCH);
    const resends = unsent.eventIds.toSorted().map((eventId) => ({ eventId, endpointId }));
    await resend(environment, { tenantId, resends, now, audit, objectId: endpointId });
    count += resends.length;
    next = unsent.next;
  }
  return count;
}
