import type { JsonObject } from "@bufbuild/protobuf";
import { idPattern } from "../../contract/ids.ts";
import { Idempotency } from "../../gen/paylink/options/v1/options_pb.ts";
import type { Route } from "../transcode/route.ts";
import { sampleId } from "./identifiers.ts";

/** The headers of responses, defined once. */
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
  "WWW-Authenticate": {
    description: "How to authenticate: `Bearer`.",
    required: true,
    schema: { type: "string", const: "Bearer" },
  },
  "Retry-After": {
    description: "Seconds after which to try again.",
    required: true,
    schema: { type: "integer", minimum: 0 },
  },
  "RateLimit-Limit": {
    description:
      "How many requests the nearest limit takes at once. The three are there when the operator limits requests.",
    schema: { type: "integer", minimum: 1 },
  },
  "RateLimit-Remaining": {
    description: "How many of them are left now.",
    schema: { type: "integer", minimum: 0 },
  },
  "RateLimit-Reset": {
    description: "Seconds until all of them are there again, if no request comes before.",
    schema: { type: "integer", minimum: 0 },
  },
};

export const REQUEST_ID = {
  type: "string",
  pattern: idPattern("req"),
  description: "Identifier of a request.",
  examples: [sampleId("req")],
};

// The core stores its decision with the key: successes and its refusals.
const REPLAYED = new Set([200, 201, 400, 404]);
const TO_BE_RETRIED = new Set([429, 503]);
const RATE_LIMIT = ["RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset"];

/** Returns references to the headers of a response. Without a valid key there is no rate limit to report. */
export function responseHeaders(
  status: number,
  { idempotency, isPublic }: Pick<Route, "idempotency" | "isPublic">,
): Record<string, JsonObject> {
  const names = [
    "X-Request-Id",
    ...(idempotency !== Idempotency.UNSPECIFIED && REPLAYED.has(status) ? ["Idempotent-Replay"] : []),
    ...(status === 401 ? ["WWW-Authenticate"] : []),
    ...(TO_BE_RETRIED.has(status) ? ["Retry-After"] : []),
    ...(isPublic || status === 401 ? [] : RATE_LIMIT),
  ];
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}
