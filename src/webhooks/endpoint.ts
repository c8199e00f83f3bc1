import { secondsAfter } from "../platform/clock.ts";
import { invalidRequest, PaylinkError } from "../platform/errors.ts";
import { newId } from "../platform/ids.ts";
import type { EndpointRow, EventType } from "./entities.ts";
import { ROTATION_SECONDS } from "./signature.ts";

export const ENDPOINTS_MAX = 20;

/** What an endpoint's secrets are sealed for. */
export function secretOwner(endpointId: string): string {
  return `webhook_endpoint ${endpointId}`;
}

export function newEndpointId(): string {
  return newId("we");
}

export function newEndpoint(
  tenantId: string,
  id: string,
  url: string,
  eventTypes: readonly string[],
  sealedSecret: string,
  now: Date,
): EndpointRow {
  return {
    tenantId,
    id,
    url,
    eventTypes: [...eventTypes] as EventType[],
    status: "enabled",
    disabledReason: null,
    sealedSecret,
    previousSealedSecret: null,
    previousSecretExpiresAt: null,
    createdAt: now,
    deletedAt: null,
  };
}

/** The endpoint with a new secret; the one it had stays in force for a day. */
export function rotated(endpoint: EndpointRow, sealedSecret: string, now: Date): EndpointRow {
  return {
    ...endpoint,
    sealedSecret,
    previousSealedSecret: endpoint.sealedSecret,
    previousSecretExpiresAt: secondsAfter(now, ROTATION_SECONDS),
  };
}

/** Error: invalid_request when nothing can be sent to it. */
export function requireEnabled({ status }: EndpointRow): void {
  if (status !== "enabled") throw invalidRequest("endpoint_id", "The endpoint is disabled: enable it first.");
}

export function endpointNotFound(): PaylinkError {
  return new PaylinkError("webhook_endpoint_not_found", "There is no such webhook endpoint.");
}
