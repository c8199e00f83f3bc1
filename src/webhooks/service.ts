import type { ServiceImpl } from "@connectrpc/connect";
import type pg from "pg";
import { EventBodySchema, type WebhooksService } from "../../gen/paylink/webhooks/v1/webhooks_pb.ts";
import type { Change } from "../platform/write/change.ts";
import { deliveryRpcs } from "./deliveries.ts";
import { newDelivery } from "./delivery.ts";
import type { WebhooksDeps } from "./deps.ts";
import { endpointRpcs } from "./endpoints.ts";
import { insertEvents, newEvent, type EventContent, type EventOwner, type JsonWriter } from "./event.ts";
import { eventRpcs } from "./events.ts";
import { listSubscribed } from "./repository.ts";

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
      ...eventRpcs(deps),
    };
  }

  /** Returns the changes that record an event, with its deliveries to all subscribed endpoints. */
  async recordEvent(owner: EventOwner, content: EventContent): Promise<Change[]> {
    return await this.recordEvents(owner, [content], this.#deps.environments[owner.mode].pool);
  }

  /** As `recordEvent`, of events of one type. The endpoints are read from `client`. */
  async recordEvents(
    owner: EventOwner,
    contents: readonly EventContent[],
    client: Pick<pg.Pool, "query">,
  ): Promise<Change[]> {
    const { clock } = this.#deps;
    const { tenantId } = owner;
    const now = new Date(clock.nowMs());
    const events = contents.map((content) => newEvent(owner, content, now, this.#writeBody));
    const [first] = events;
    if (!first) return [];
    const endpointIds = first.isInternal ? [] : await listSubscribed(client, tenantId, first.type);
    const deliveries = events.flatMap(({ id }) =>
      endpointIds.map((endpointId) => newDelivery(tenantId, id, endpointId, now)),
    );
    return insertEvents(events, deliveries);
  }
}
