import type { WebhookEndpoint } from "../../../gen/paylink/webhooks/v1/webhooks_pb.ts";
import { Refused } from "../refused.ts";
import type { Visit } from "../visit.ts";

export async function listEndpoints(visit: Visit): Promise<readonly WebhookEndpoint[]> {
  return (await visit.core.webhooks.listWebhookEndpoints({}, visit.as)).endpoints;
}

/** Returns the endpoint in the path. Throws Refused when there is none. */
export async function endpointOf(visit: Visit): Promise<WebhookEndpoint> {
  const id = visit.part("id");
  const endpoint = (await listEndpoints(visit)).find((candidate) => candidate.id === id);
  if (!endpoint) throw new Refused("unknown");
  return endpoint;
}
