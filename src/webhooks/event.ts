import type pg from "pg";
import { create, type DescMessage, type Message, type MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { EventBodySchema, type EventDataSchema } from "../../gen/paylink/webhooks/v1/webhooks_pb.ts";
import { toModeEnum } from "../identity/mapping.ts";
import type { Mode } from "../platform/rpc/caller.ts";
import { insert, insertAll, type Change } from "../platform/write/change.ts";
import { newId } from "../../contract/ids.ts";
import { Event, WebhookDelivery, type DeliveryRow, type EventRow, type EventType } from "./entities.ts";

/** An event before it is recorded. */
export interface EventContent {
  readonly type: EventType;
  /** The id of the payment or link of the event, or of the endpoint of a test event. */
  readonly objectId: string;
  readonly reference: string | undefined;
  readonly data: MessageInitShape<typeof EventDataSchema>;
}

/** The tenant and mode of an event. */
export interface EventOwner {
  readonly tenantId: string;
  readonly mode: Mode;
}

/** Returns the changes that record an event with its deliveries. */
export type RecordEvent = (owner: EventOwner, content: EventContent) => Promise<Change[]>;

/**
 * Returns the changes that record one tenant's events of one type with their deliveries, for the transaction of this
 * connection.
 */
export type RecordEvents = (
  owner: EventOwner,
  contents: readonly EventContent[],
  client: Pick<pg.Pool, "query">,
) => Promise<Change[]>;

/** The API's own serialiser: returns a writer of the contract's JSON for a message type. */
export type JsonWriter = (desc: DescMessage) => (message: Message) => string;

const INTERNAL: ReadonlySet<EventType> = new Set(["payment.fees_acknowledged", "payment.exception_recorded"]);

/** Returns the event's row, with the bytes that all its deliveries send. */
export function newEvent(
  { tenantId, mode }: EventOwner,
  { type, objectId, reference, data }: EventContent,
  now: Date,
  writeBody: (message: Message) => string,
): EventRow {
  const id = newId("evt");
  const body = create(EventBodySchema, {
    id,
    type,
    created: timestampFromDate(now),
    mode: toModeEnum(mode),
    reference,
    data,
  });
  return {
    tenantId,
    id,
    type,
    isInternal: INTERNAL.has(type),
    objectId,
    reference: reference ?? null,
    body: Buffer.from(writeBody(body)),
    createdAt: now,
  };
}

/** Returns the changes that record events with their deliveries. */
export function insertEvents(events: readonly EventRow[], deliveries: readonly DeliveryRow[]): Change[] {
  const [first, ...others] = events;
  if (!first) return [];
  const inserted = others.length === 0 ? insert(Event, first) : insertAll(Event, events);
  return deliveries.length === 0 ? [inserted] : [inserted, insertAll(WebhookDelivery, deliveries)];
}
