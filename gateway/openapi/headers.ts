import type { JsonObject } from "@bufbuild/protobuf";
import { Idempotency } from "../../gen/paylink/options/v1/options_pb.ts";
import { idPattern, sampleId } from "./identifiers.ts";

/** The headers that answers carry, said once. */
export const HEADERS: Readonly<Record<string, JsonObject>> = {
  "X-Request-Id": {
    description: "The request's id; of a replay, the original request's. Equals `request_id` in an error.",
    required: true,
    schema: { $ref: "#/components/schemas/RequestId" },
  },
  "Idempotent-Replay": {
    description: "`true` when this is the stored answer of an earlier request with the same key.",
    schema: { type: "string", const: "true" },
  },
  "Retry-After": {
    description: "Seconds after which to try again.",
    required: true,
    schema: { type: "integer", minimum: 0 },
  },
};

export const REQUEST_ID = {
  type: "string",
  pattern: idPattern("req"),
  description: "Identifier of a request.",
  examples: [sampleId("req")],
};

// What the core decided is stored with the key: successes and its refusals.
const REPLAYED = new Set([200, 201, 400, 404]);
const TO_BE_RETRIED = new Set([429, 503]);

/** References to the headers of an answer. */
export function responseHeaders(status: number, idempotency: Idempotency): Record<string, JsonObject> {
  const names = [
    "X-Request-Id",
    ...(idempotency !== Idempotency.UNSPECIFIED && REPLAYED.has(status) ? ["Idempotent-Replay"] : []),
    ...(TO_BE_RETRIED.has(status) ? ["Retry-After"] : []),
  ];
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}
