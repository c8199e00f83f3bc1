import type { ServiceImpl } from "@connectrpc/connect";
import { EventBodySchema, WebhooksService } from "../../gen/paylink/webhooks/v1/webhooks_pb.ts";
import type { Call } from "../platform/call.ts";
import type { Mode } from "../platform/caller.ts";
import { hold, insert, insertAll, type Change } from "../platform/change.ts";
import type { Environment } from "../platform/database.ts";
import { invalidRequest, PaylinkError } from "../platform/errors.ts";
import { idAsCursor, keysetPage } from "../platform/keyset-page.ts";
import type { JobQueue } from "../platform/jobs.ts";
import { dateOf } from "../platform/timestamps.ts";
import { deliveryRpcs } from "./deliveries.ts";
import { findDeliveries, listDeliveriesOf } from "./delivery-repository.ts";
import { deliveryJob, newDelivery, type DeliveryJob } from "./delivery.ts";
import { requireEnabled } from "./endpoint.ts";
import { endpointRpcs, requireEndpoint, type EndpointsDeps } from "./endpoints.ts";
import { Event, WebhookDelivery, WebhookEndpoint, type DeliveryRow, type EventRow } from "./entities.ts";
import { newEvent, type EventContent, type EventOwner, type JsonWriter } from "./event.ts";
import { toDelivery, toEvent } from "./mapping.ts";
import { findEvent, listEvents, listObjectEvents, listSubscribed, listUndelivered } from "./repository.ts";
import { resend } from "./resend.ts";

const LIMIT_DEFAULT = 20;
const RESEND_BATCH = 500;

export interface WebhooksDeps extends EndpointsDeps {
  readonly queues: Readonly<Record<Mode, JobQueue<DeliveryJob>>>;
  readonly jsonWriter: JsonWriter;
}

type EventRpcs = Pick<
  ServiceImpl<typeof WebhooksService>,
  "listEvents" | "listObjectEvents" | "getEvent" | "resendEvent" | "resendFailedEvents" | "sendTestEvent"
>;

/** The webhooks room: its RPCs, and the function with which other rooms record events. */
export class Webhooks {
  readonly #deps: WebhooksDeps;
  readonly #writeBody: ReturnType<JsonWriter>;
  readonly rpcs: ServiceImpl<typeof WebhooksService>;

  constructor(deps: WebhooksDeps) {
    this.#deps = deps;
    this.#writeBody = deps.jsonWriter(EventBodySchema);
    this.rpcs = {
      ...endpointRpcs(deps),
      ...deliveryRpcs(deps),
      ...this.#eventRpcs(),
    };
  }

  /** Returns the changes that record an event and queue its deliveries to all subscribed endpoints. */
  async record(owner: EventOwner, content: EventContent): Promise<Change[]> {
    const { environments, clock } = this.#deps;
    const { tenantId, mode } = owner;
    const now = new Date(clock.nowMs());
    const event = newEvent(owner, content, now, this.#writeBody);
    const endpointIds = event.isInternal
      ? []
      : await listSubscribed(environments[mode], tenantId, event.type);
    if (endpointIds.length === 0) return [insert(Event, event)];
    const deliveries = endpointIds.map((endpointId) => newDelivery(tenantId, event.id, endpointId, now));
    return this.#sent(mode, event, deliveries);
  }

  #sent(mode: Mode, event: EventRow, deliveries: readonly DeliveryRow[]): Change[] {
    const jobs = deliveries.map((delivery) => deliveryJob(delivery, 0));
    return [insert(Event, event), insertAll(WebhookDelivery, deliveries), this.#deps.queues[mode].made(jobs)];
  }

  #eventRpcs(): EventRpcs {
    const { operations, clock, queues } = this.#deps;
    return {
      listEvents: operations.run(async (request, { tenantId, environment }) => {
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
      listObjectEvents: operations.run(
        async ({ objectIds, limit = LIMIT_DEFAULT }, { tenantId, environment }) => {
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
        },
      ),
      getEvent: operations.run(async ({ id }, { tenantId, environment }) => ({
        event: toEvent(await this.#event(environment, tenantId, id)),
      })),
      resendEvent: operations.run(async (request, { tenantId, mode, environment, audit }) => {
        const event = await this.#event(environment, tenantId, request.id);
        if (event.isInternal) throw invalidRequest("id", "The event is internal and never sent.");
        const endpointIds = await this.#resendTo(environment, event, request.endpointId);
        const pairs = endpointIds.map((endpointId) => ({ eventId: event.id, endpointId }));
        const now = new Date(clock.nowMs());
        const again = { tenantId, resends: pairs, now, audit, severalId: event.id };
        const ids = await resend(environment, queues[mode], again);
        return { deliveries: (await findDeliveries(environment, tenantId, ids)).map(toDelivery) };
      }),
      resendFailedEvents: operations.run(async ({ endpointId, since }, call) => {
        const from = since ? dateOf(since) : new Date(0);
        return { eventCount: await this.#resendAll(call, endpointId, from) };
      }),
      sendTestEvent: operations.write({
        decide: async ({ endpointId }, caller) => {
          const { tenantId, mode, environment } = caller;
          requireEnabled(await requireEndpoint(environment, tenantId, endpointId));
          const now = new Date(clock.nowMs());
          const content = {
            type: "webhook.test",
            objectId: endpointId,
            reference: undefined,
            data: {},
          } as const;
          const event = newEvent(caller, content, now, this.#writeBody);
          const delivery = newDelivery(tenantId, event.id, endpointId, now);
          const changes = [
            // If the endpoint was disabled meanwhile, the commit fails.
            hold(WebhookEndpoint, { tenantId, id: endpointId, status: "enabled", deletedAt: null }),
            ...this.#sent(mode, event, [delivery]),
          ];
          const response = { delivery: toDelivery({ ...delivery, eventType: event.type }) };
          return { response, changes, audit: { objectId: endpointId } };
        },
      }),
    };
  }

  async #event(environment: Environment, tenantId: string, id: string): Promise<EventRow> {
    const event = await findEvent(environment, tenantId, id);
    if (!event) throw new PaylinkError("event_not_found", "There is no such event.");
    return event;
  }

  async #resendTo(
    environment: Environment,
    event: EventRow,
    endpointId: string | undefined,
  ): Promise<string[]> {
    const isTest = event.type === "webhook.test";
    const named = endpointId ?? (isTest ? event.objectId : undefined);
    if (isTest && named !== event.objectId) {
      throw invalidRequest("endpoint_id", "A test event is sent to its own endpoint alone.");
    }
    if (named === undefined) return await listSubscribed(environment, event.tenantId, event.type);
    requireEnabled(await requireEndpoint(environment, event.tenantId, named));
    return [named];
  }

  async #resendAll({ mode, tenantId, audit }: Call, endpointId: string, since: Date): Promise<number> {
    const { environments, queues, clock } = this.#deps;
    const now = new Date(clock.nowMs());
    let [count, last] = [0, ""];
    for (;;) {
      const endpoint = await requireEndpoint(environments[mode], tenantId, endpointId);
      requireEnabled(endpoint);
      const eventIds = await listUndelivered(environments[mode], endpoint, since, last, RESEND_BATCH);
      last = eventIds.at(-1) ?? last;
      const resends = eventIds.map((eventId) => ({ eventId, endpointId: endpoint.id }));
      const again = { tenantId, resends, now, audit, objectId: endpoint.id };
      await resend(environments[mode], queues[mode], again);
      count += eventIds.length;
      if (eventIds.length < RESEND_BATCH) return count;
    }
  }
}
