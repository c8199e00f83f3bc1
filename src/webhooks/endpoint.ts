import type { CreateWebhookEndpointRequest } from "../../gen/paylink/webhooks/v1/webhooks_pb.ts";
import { secondsAfter } from "../platform/time/clock.ts";
import { invalidRequest, noSuch, type PaylinkError } from "../platform/rpc/errors.ts";
import { utcText } from "../platform/time/timestamps.ts";
import { newId } from "../../contract/ids.ts";
import type { EndpointRow, FormerSecret } from "./entities.ts";
import { ROTATION_SECONDS } from "./signature.ts";

export const ENDPOINTS_MAX = 20;
const FORMER_SECRETS_MAX = 5;

/** Returns the owner text under which an endpoint's secrets are encrypted. */
export function secretOwner(endpointId: string): string {
  return `webhook_endpoint ${endpointId}`;
}

export function newEndpointId(): string {
  return newId("we");
}

/** The merchant's own texts of an endpoint. */
type Texts = Partial<Pick<EndpointRow, "description" | "metadata">>;

/** What is given of a new endpoint. */
type Given = Pick<EndpointRow, "tenantId" | "id" | "url" | "eventTypes" | "sealedSecret" | "submissionId"> &
  Texts;

export function newEndpoint(given: Given, now: Date): EndpointRow {
  return {
    description: null,
    metadata: null,
    ...given,
    status: "enabled",
    disabledReason: null,
    formerSecrets: [],
    createdAt: now,
    deletedAt: null,
  };
}

/** Returns the texts as they are stored. An empty one is none. */
export function textsOf(request: Pick<CreateWebhookEndpointRequest, "description" | "metadata">): Texts {
  const { description, metadata } = request;
  return {
    ...(description === undefined ? {} : { description: description || null }),
    ...(metadata === undefined ? {} : { metadata: Object.keys(metadata).length === 0 ? null : metadata }),
  };
}

/**
 * Returns the endpoint with a new secret. Its former secret stays valid for a day, like earlier ones that have not
 * expired. Error: invalid_request on id if there are too many of these.
 */
export function rotated(endpoint: EndpointRow, sealedSecret: string, now: Date): EndpointRow {
  const inForce = secretsInForce(endpoint, now);
  if (inForce.length >= FORMER_SECRETS_MAX) {
    const again = utcText(new Date(inForce[0]?.expiresAt ?? now));
    const message = `A secret is rotated at most ${FORMER_SECRETS_MAX} times within 24 hours: the next time from ${again} on.`;
    throw invalidRequest("id", message);
  }
  const former = {
    sealedSecret: endpoint.sealedSecret,
    expiresAt: secondsAfter(now, ROTATION_SECONDS).toISOString(),
  };
  return { ...endpoint, sealedSecret, formerSecrets: [...inForce, former] };
}

/** Returns the former secrets that have not expired, oldest first. */
export function secretsInForce({ formerSecrets }: EndpointRow, now: Date): FormerSecret[] {
  return formerSecrets.filter(({ expiresAt }) => new Date(expiresAt) > now);
}

/** Error: invalid_request on endpoint_id if the endpoint is disabled. */
export function requireEnabled({ status }: EndpointRow): void {
  if (status !== "enabled") throw invalidRequest("endpoint_id", "The endpoint is disabled: enable it first.");
}

export function endpointNotFound(): PaylinkError {
  return noSuch("webhook_endpoint_not_found", "webhook endpoint");
}
