import { WebhooksService } from "../../../gen/paylink/webhooks/v1/webhooks_pb.ts";
import { tenantClient } from "../../core/client.ts";
import type { TenantChoice } from "../../output/options.ts";
import type { Row } from "../../output/output.ts";
import { Shop } from "./shop.ts";
import type { Triggered } from "./types.ts";
import { WAYS } from "./ways.ts";

const POLL_MS = 500;
// A worker looks every five seconds, and a dispute takes some twenty to end.
const EVENT_MS_MAX = 60_000;

/**
 * Makes an event of a type happen by what really leads to it. Returns what the event is about. Throws ConnectError, or Error
 * when the event does not come, as without a worker.
 */
export async function trigger(choice: TenantChoice, triggered: Triggered): Promise<Row> {
  const { type } = triggered;
  const made = await WAYS[type](new Shop(choice, triggered));
  const objectId = (type.startsWith("link.") ? made.link : made.payment) ?? "";
  return { event: made.event ?? (await eventOf(choice, type, objectId)), type, ...made };
}

/** Returns the id of an object's event, after at most EVENT_MS_MAX. Throws Error if it has not come by then. */
async function eventOf(choice: TenantChoice, type: string, objectId: string): Promise<string> {
  const { client, options } = await tenantClient(WebhooksService, choice);
  const deadline = Date.now() + EVENT_MS_MAX;
  for (;;) {
    const { events } = await client.listEvents({ type, objectId, limit: 1 }, options);
    if (events[0]) return events[0].id;
    if (Date.now() >= deadline) {
      throw new Error(
        `${objectId} has no event ${type} yet: does a worker run? paylink events list shows it then.`,
      );
    }
    await new Promise((resolve) => {
      setTimeout(resolve, POLL_MS);
    });
  }
}
