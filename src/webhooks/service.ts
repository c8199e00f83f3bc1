import type { ServiceImpl } from "@connectrpc/connect";
import { EventBodySchema, type WebhooksService } from "../../gen/paylink/webhooks/v1/webhooks_pb.ts";
import type { Change } from "../platform/write/change.ts";
import { deliveryRpcs } from "./deliveries.ts";
import type { WebhooksDeps } from "./deps.ts";
import { endpointRpcs } from "./endpoints.ts";
import { insertEvents, newEvent, type EventContent, type EventOwner, type JsonWriter } from "./event.ts";
import { eventRpcs } from "./events.ts";

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

  /** Returns the changes that record events of any types. Their deliveries come with them, by a trigger of `event`. */
  recordEvents(owner: EventOwner, ...contents: readonly EventContent[]): Change[] {
    const now = new Date(this.#deps.clock.nowMs());
    return insertEvents(contents.map((content) => newEvent(owner, content, now, this.#writeBody)));
  }
}
