import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { stampOf } from "../platform/time/timestamps.ts";
import { wordsOf } from "../../contract/enum-words.ts";
import {
  DeliveryAttemptSchema,
  DeliverySchema,
  DeliveryStatus as DeliveryStatusEnum,
  EventSchema,
  SentEventSchema,
  WebhookEndpointSchema,
  WebhookEndpointStatus,
  type Delivery,
  type DeliveryAttempt,
  type Event,
  type SentEvent,
  type WebhookEndpoint,
} from "../../gen/paylink/webhooks/v1/webhooks_pb.ts";
import { secretsInForce } from "./endpoint.ts";
import type { TypedDelivery } from "./delivery-repository.ts";
import type { AttemptRow, EndpointRow, EventRow } from "./entities.ts";

const deliveryStatuses = wordsOf(DeliveryStatusEnum);
const endpointStatuses = wordsOf(WebhookEndpointStatus);

export const fromDeliveryStatus = deliveryStatuses.knownWordOf;

/** `now` decides if a former secret is still valid. */
export function toEndpoint(row: EndpointRow, now: Date): WebhookEndpoint {
  const lastFormer = secretsInForce(row, now).at(-1);
  return create(WebhookEndpointSchema, {
    id: row.id,
    url: row.url,
    eventTypes: row.eventTypes,
    status: endpointStatuses.numbers[row.status],
    disabledReason: row.disabledReason ?? undefined,
    previousSecretExpiresAt: lastFormer ? timestampFromDate(new Date(lastFormer.expiresAt)) : undefined,
    createdAt: timestampFromDate(row.createdAt),
    description: row.description ?? undefined,
    metadata: row.metadata ?? undefined,
  });
}

export function toEvent({ id, type, objectId, reference, body, createdAt, isInternal }: EventRow): Event {
  return create(EventSchema, {
    id,
    type,
    objectId,
    reference: reference ?? undefined,
    created: timestampFromDate(createdAt),
    body: new Uint8Array(body),
    isInternal,
  });
}

/** Returns the event as it is sent. */
export function toSentEvent({ body }: EventRow): SentEvent {
  return create(SentEventSchema, { body: new Uint8Array(body) });
}

export function toDelivery(row: TypedDelivery): Delivery {
  const { nextAttemptAt, lastStatusCode, lastError } = row;
  return create(DeliverySchema, {
    id: row.id,
    eventId: row.eventId,
    eventType: row.eventType,
    type: row.eventType,
    endpointId: row.endpointId,
    status: deliveryStatuses.numbers[row.status],
    attemptCount: row.attemptCount,
    nextAttemptAt: stampOf(nextAttemptAt),
    lastStatusCode: lastStatusCode ?? undefined,
    lastError: lastError ?? undefined,
    createdAt: timestampFromDate(row.createdAt),
  });
}

export function toAttempt({ startedAt, statusCode, error, requestUrl, ...row }: AttemptRow): DeliveryAttempt {
  return create(DeliveryAttemptSchema, {
    number: row.number,
    startedAt: timestampFromDate(startedAt),
    latencyMs: row.latencyMs,
    statusCode: statusCode ?? undefined,
    error: error ?? undefined,
    responseBody: row.responseBody,
    requestUrl: requestUrl ?? undefined,
    requestHeaders: row.requestHeaders ?? {},
  });
}
