import type { DescField, DescMessage, JsonObject, JsonValue } from "@bufbuild/protobuf";
import type { DeliveredType } from "../../contract/event-types.ts";
import type { SchemaContext } from "./field-schema.ts";
import { memberSchemas } from "./response-schema.ts";
import { MOMENT, sampleObject } from "./samples.ts";
import type { Schema } from "./schema.ts";

/** The events that are sent, their causes and their data. In an example, `sampled` is as `sample` says. */
const EVENTS = [
  {
    type: "payment.succeeded",
    when: "A payment succeeded",
    more: "The sandbox sends it too, for the outcome `succeeded`.",
    data: ["payment"],
    sampled: "payment",
    sample: { status: "succeeded" },
  },
  {
    type: "payment.failed",
    when: "A payment failed, or its time ran out",
    more: "`decline_code` is the reason. The sandbox sends it too, for the outcomes `failed` and `expired`.",
    data: ["payment", "decline_code"],
    sampled: "payment",
    sample: { status: "failed", failure_code: "pix_rejected" },
  },
  {
    type: "payment.pending",
    when: "A payment was started and is not paid yet",
    more: "The payer chose Pix or a bank transfer on the page. A card payment is `processing` until its end, and has none.",
    data: ["payment"],
    sampled: "payment",
    sample: { status: "pending" },
  },
  {
    type: "link.created",
    when: "A link was created",
    more: "By any way: REST, an accepted quote, the console, the command line.",
    data: ["payment_link"],
    sampled: "payment_link",
    sample: { status: "active" },
  },
  {
    type: "link.completed",
    when: "A single link was paid",
    more: "Sent with `payment.succeeded`, before or after it. A campaign is never completed.",
    data: ["payment_link"],
    sampled: "payment_link",
    sample: { status: "completed" },
  },
  {
    type: "link.deactivated",
    when: "A link was canceled",
    more: "It accepts no payment until it is reactivated.",
    data: ["payment_link"],
    sampled: "payment_link",
    sample: { status: "canceled" },
  },
  {
    type: "link.expired",
    when: "A link reached its expiry",
    more: "It accepts no payment from then on.",
    data: ["payment_link"],
    sampled: "payment_link",
    sample: { status: "expired" },
  },
  {
    type: "refund.succeeded",
    when: "A refund's money has left",
    more: "`payment` has the new `refunded_amount`. It may follow `refund.failed`, if the provider made the refund all the same.",
    data: ["payment", "refund"],
    sampled: "refund",
    sample: { status: "succeeded" },
  },
  {
    type: "refund.failed",
    when: "A refund failed",
    more: "Its money stays as far as the provider says. Another refund may be made.",
    data: ["payment", "refund"],
    sampled: "refund",
    sample: { status: "failed" },
  },
  {
    type: "payment.returned",
    when: "A provider gave back money of a payment by itself",
    more: "For example after the payer's bank contested it. `payment` has the new `refunded_amount`.",
    data: ["payment", "return"],
    sampled: "payment",
    sample: { status: "succeeded" },
  },
  {
    type: "payment.return_reversed",
    when: "Money of a return came back to the merchant",
    more: "A chargeback was won after it had been returned. `payment` has the new `refunded_amount`, and `return` when it came back.",
    data: ["payment", "return"],
    sampled: "return",
    sample: { reversed_at: MOMENT + 60 },
  },
  {
    type: "payment.disputed",
    when: "A payer contests a payment at their bank",
    more: "`dispute` has the last day for the merchant's documents, if the provider names one. No money has moved by it.",
    data: ["payment", "dispute"],
    sampled: "dispute",
    sample: { status: "needs_response" },
  },
  {
    type: "payment.dispute_closed",
    when: "A dispute was won or lost",
    more: "The money of a lost one is a return: `payment.returned` is sent of it, before or after.",
    data: ["payment", "dispute"],
    sampled: "dispute",
    sample: { status: "won" },
  },
  {
    type: "webhook.test",
    when: "A test was requested",
    more: "Sent to one endpoint, whatever types it subscribes to. Its `data` is empty.",
    data: [],
    sampled: "",
    sample: {},
  },
] as const satisfies readonly { readonly type: DeliveredType; readonly [member: string]: unknown }[];

type SentEvent = (typeof EVENTS)[number];

const HEADERS: readonly (readonly [name: string, description: string, schema: Schema])[] = [
  [
    "webhook-id",
    "The event's id: the same on every attempt. Use it to recognize duplicates.",
    { type: "string" },
  ],
  ["webhook-timestamp", "When this attempt was signed, Unix time in seconds.", { type: "integer" }],
  [
    "webhook-signature",
    "Signatures separated by spaces, each `v1,` and the base64 of HMAC-SHA256 over `id.timestamp.body`.",
    { type: "string", pattern: "^v1,\\S+( v1,\\S+)*$" },
  ],
];

const ANSWERS = {
  "2XX": {
    description: "Received. After any other answer, or none within 15 seconds, the event is sent again.",
  },
  "410": { description: "The endpoint is gone: it is disabled and nothing more is sent to it." },
};

/** Returns the webhooks of the service. Their schema is the message of every event's body. */
export function webhooks(body: DescMessage, context: SchemaContext): Record<string, JsonObject> {
  return Object.fromEntries(EVENTS.map((event) => [event.type, { post: webhook(event, body, context) }]));
}

function webhook(event: SentEvent, body: DescMessage, context: SchemaContext): JsonObject {
  const name = event.type.replaceAll(/(?:^|[._])(\w)/g, (_, letter: string) => letter.toUpperCase());
  return {
    operationId: `on${name}`,
    summary: event.when,
    description: event.more,
    security: [],
    parameters: HEADERS.map(([header, description, schema]) => ({
      name: header,
      in: "header",
      required: true,
      description,
      schema,
    })),
    requestBody: {
      required: true,
      content: {
        "application/json": {
          schema: context.components.refer("schemas", `${name}Event`, () =>
            eventSchema(event, body, context),
          ),
          example: sampleEvent(event, body),
        },
      },
    },
    responses: ANSWERS,
  };
}

/** Returns the message's schema with this event's type and exactly its data. */
function eventSchema(event: SentEvent, body: DescMessage, context: SchemaContext): Schema {
  const members = memberSchemas(body.fields, context);
  return {
    type: "object",
    description: `${event.when}.`,
    required: body.fields.map(({ name }) => name),
    properties: {
      ...members,
      type: { ...members["type"], const: event.type },
      data: {
        type: "object",
        description: members["data"]?.["description"] ?? "",
        required: [...event.data],
        properties: memberSchemas(dataFields(event, body), context),
      },
    },
  };
}

function sampleEvent(event: SentEvent, body: DescMessage): JsonObject {
  const fields = body.fields.filter(({ name }) => name !== "type" && name !== "data");
  const { id = null, ...others } = sampleObject(fields);
  const samples = Object.entries(sampleObject(dataFields(event, body))).map(([name, value]) => [
    name,
    name === event.sampled ? { ...(value as JsonObject), ...event.sample } : value,
  ]);
  const data = agreeing(event, Object.fromEntries(samples) as Record<string, JsonValue>);
  // A test event is of no link.
  const reference = event.data.length === 0 ? { reference: null } : {};
  return { id, type: event.type, ...others, created: timeOf(data), ...reference, data };
}

/** Returns the data as they are together: the payment has what went back of it, and the reason of its decline. */
function agreeing({ type, sample }: SentEvent, data: Record<string, JsonValue>): JsonObject {
  const payment = data["payment"] as JsonObject | undefined;
  const refund = data["refund"] as JsonObject | undefined;
  const back = type === "payment.returned" ? (data["return"] as JsonObject) : refund;
  const refunded =
    payment && back && back["status"] !== "failed" ? { refunded_amount: back["amount"] ?? 0 } : {};
  return {
    ...data,
    ...(payment ? { payment: { ...payment, ...refunded } } : {}),
    ...("decline_code" in data && "failure_code" in sample ? { decline_code: sample.failure_code } : {}),
  };
}

/** Returns when an event with these data happened: at the latest time that they have. */
function timeOf(data: JsonObject): number {
  const times = Object.values(data).flatMap((value) => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return [];
    const end = value["status"] === "expired" ? value["expires_at"] : undefined;
    return [value["created_at"], value["updated_at"], value["reversed_at"], end];
  });
  return Math.max(MOMENT, ...times.filter((time) => typeof time === "number"));
}

function dataFields(event: SentEvent, body: DescMessage): DescField[] {
  const names: readonly string[] = event.data;
  const data = body.fields.find(({ name }) => name === "data");
  return data?.message?.fields.filter(({ name }) => names.includes(name)) ?? [];
}
