import type { JsonObject } from "@bufbuild/protobuf";
import { defineEntity, p, type InferEntity } from "@mikro-orm/core";
import { type DeliveryStatus as StatusEnum } from "../../gen/paylink/webhooks/v1/webhooks_pb.ts";
import { type WordOf } from "../../contract/enum-words.ts";
import type { EventType } from "../../contract/event-types.ts";

export type DeliveryStatus = WordOf<typeof StatusEnum>;

/** An event, with the exact bytes of its deliveries. Immutable. */
export const Event = defineEntity({
  name: "Event",
  tableName: "event",
  properties: {
    tenantId: p.string().columnType("text").primary(),
    id: p.string().columnType("text").primary(),
    type: p.string().columnType("text").$type<EventType>(),
    isInternal: p.boolean(),
    objectId: p.string().columnType("text"),
    reference: p.string().columnType("text").nullable(),
    body: p.blob().columnType("bytea"),
    createdAt: p.datetime(),
  },
});

/** A replaced secret, which still signs until it expires (ISO 8601). */
export interface FormerSecret {
  readonly sealedSecret: string;
  readonly expiresAt: string;
}

/** A merchant's endpoint for events. */
export const WebhookEndpoint = defineEntity({
  name: "WebhookEndpoint",
  tableName: "webhook_endpoint",
  properties: {
    tenantId: p.string().columnType("text").primary(),
    id: p.string().columnType("text").primary(),
    url: p.string().columnType("text"),
    // Types, and kinds such as payment.*; empty: all.
    eventTypes: p.array().columnType("text[]"),
    status: p.string().columnType("text").$type<"enabled" | "disabled">(),
    description: p.string().columnType("text").nullable(),
    metadata: p.json<JsonObject>().columnType("json").nullable(),
    disabledReason: p.string().columnType("text").$type<"manual" | "gone">().nullable(),
    sealedSecret: p.string().columnType("text"),
    formerSecrets: p.json<FormerSecret[]>().columnType("jsonb"),
    createdAt: p.datetime(),
    deletedAt: p.datetime().nullable(),
    // Unique in a tenant: of two requests with the same one, one creates an endpoint.
    submissionId: p.string().columnType("text").fieldName("once").nullable(),
  },
});

/**
 * The sending of one event to one endpoint. A round is one pass through the schedule of attempts. Sending again by hand
 * starts the next round.
 */
export const WebhookDelivery = defineEntity({
  name: "WebhookDelivery",
  tableName: "webhook_delivery",
  properties: {
    tenantId: p.string().columnType("text").primary(),
    id: p.string().columnType("text").primary(),
    eventId: p.string().columnType("text"),
    endpointId: p.string().columnType("text"),
    status: p.string().columnType("text").$type<DeliveryStatus>(),
    round: p.integer(),
    roundAttemptCount: p.integer(),
    attemptCount: p.integer(),
    nextAttemptAt: p.datetime().nullable(),
    lastStatusCode: p.integer().nullable(),
    lastError: p.string().columnType("text").nullable(),
    createdAt: p.datetime(),
  },
});

/** One attempt of a delivery, with its result. */
export const WebhookAttempt = defineEntity({
  name: "WebhookAttempt",
  tableName: "webhook_attempt",
  properties: {
    tenantId: p.string().columnType("text").primary(),
    deliveryId: p.string().columnType("text").primary(),
    number: p.integer().primary(),
    startedAt: p.datetime(),
    latencyMs: p.integer(),
    statusCode: p.integer().nullable(),
    error: p.string().columnType("text").nullable(),
    responseBody: p.string().columnType("text"),
    // Null for attempts made before this column existed.
    requestUrl: p.string().columnType("text").nullable(),
    // Not jsonb, which loses the order of keys.
    requestHeaders: p.json<Record<string, string>>().columnType("json").nullable(),
  },
});

export type EventRow = InferEntity<typeof Event>;
export type EndpointRow = InferEntity<typeof WebhookEndpoint>;
export type DeliveryRow = InferEntity<typeof WebhookDelivery>;
export type AttemptRow = InferEntity<typeof WebhookAttempt>;

export const webhooksEntities = [Event, WebhookEndpoint, WebhookDelivery, WebhookAttempt];
