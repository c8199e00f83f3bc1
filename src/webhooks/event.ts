import { create, type DescMessage, type Message, type MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { EventBodySchema, type EventDataSchema } from "../../gen/paylink/webhooks/v1/webhooks_pb.ts";
import { toModeEnum } from "../identity/mapping.ts";
import type { Mode } from "../platform/rpc/caller.ts";
import { insert, insertAll, type Change } from "../platform/write/change.ts";
import { INTERNAL_TYPES, type EventType } from "../../contract/event-types.ts";
import { newId } from "../../contract/ids.ts";
import { Event, type EventRow } from "./entities.ts";

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

/** Returns the changes that record a tenant's events. The database inserts their deliveries with them. */
export type RecordEvents = (owner: EventOwner, ...contents: readonly EventContent[]) => Change[];

/** The API's own serialiser: returns a writer of the contract's JSON for a message type. */
export type JsonWriter = (desc: DescMessage) => (message: Message) => string;

const INTERNAL: ReadonlySet<EventType> = new Set(INTERNAL_TYPES);

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

/** Returns the changes that insert events. */
export function insertEvents(events: readonly EventRow[]): Change[] {
  const [first, ...others] = events;
  if (!first) return [];
  return [others.length === 0 ? insert(Event, first) : insertAll(Event, events)];
}
