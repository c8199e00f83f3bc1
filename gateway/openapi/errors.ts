import { getOption, type JsonObject } from "@bufbuild/protobuf";
import { STATUSES, type PublicCode } from "../../contract/error-codes.ts";
import { Idempotency, method as methodRules } from "../../gen/paylink/options/v1/options_pb.ts";
import type { Route } from "../transcode/route.ts";
import { ERROR_TEXTS } from "./error-texts.ts";
import { responseHeaders } from "./headers.ts";
import { sampleId } from "./identifiers.ts";
import type { Components, Schema } from "./schema.ts";

const ANY_REQUEST: readonly PublicCode[] = [
  "unknown_parameter",
  "invalid_request",
  "rate_limited",
  "internal_error",
  "service_unavailable",
  "timeout",
];
const WITH_KEY: readonly PublicCode[] = ["invalid_idempotency_key", "idempotency_key_reuse"];

/** Returns every code that an operation may return: its own, and those that follow from its requirements. */
function errorCodes(route: Route): PublicCode[] {
  const { method, verb, idempotency, isPublic, isForAnyKey, isSandboxOnly } = route;
  const own = getOption(method, methodRules).errors;
  for (const code of own) {
    if (!Object.hasOwn(STATUSES, code))
      throw new Error(`${method.toString()}: ${code} is no code of the contract`);
  }
  return [
    ...ANY_REQUEST,
    ...(isRequired(idempotency) ? (["missing_idempotency_key"] as const) : []),
    ...(idempotency === Idempotency.UNSPECIFIED ? [] : WITH_KEY),
    ...(own as PublicCode[]),
    ...(isPublic ? [] : (["invalid_api_key"] as const)),
    ...(isPublic || isForAnyKey ? [] : (["insufficient_scope"] as const)),
    ...(isSandboxOnly ? (["not_available_in_live"] as const) : []),
    ...(verb !== "GET" ? (["payload_too_large", "unsupported_media_type"] as const) : []),
  ];
}

function isRequired(idempotency: Idempotency): boolean {
  return idempotency === Idempotency.REQUIRED || idempotency === Idempotency.REQUIRED_OF_KEYS;
}

/** Returns an operation's error responses by status. A response with a single code is shared by all operations. */
export function errorResponses(route: Route, components: Components): Record<string, JsonObject> {
  const byStatus = Map.groupBy(errorCodes(route), (code) => STATUSES[code]);
  return Object.fromEntries(
    [...byStatus]
      .toSorted(([a], [b]) => a - b)
      .map(([status, codes]) => {
        const [code = "", ...more] = codes;
        if (more.length > 0) return [String(status), errorResponse(status, codes, route)];
        // Shared by all operations: those that need a key, and those that take an idempotency key.
        const shared = { idempotency: Idempotency.OPTIONAL, isPublic: false };
        const make = (): JsonObject => errorResponse(status, codes, shared);
        return [String(status), components.refer("responses", nameOf(code), make)];
      }),
  );
}

/** Returns "InvalidApiKey" for invalid_api_key. */
function nameOf(code: string): string {
  return code.replaceAll(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase());
}

/** Returns the error response for these codes. */
export function errorResponse(
  status: number,
  codes: readonly PublicCode[],
  route: Pick<Route, "idempotency" | "isPublic">,
): JsonObject {
  return {
    description: codes.map((code) => `- \`${code}\`: ${ERROR_TEXTS[code].when}`).join("\n"),
    headers: responseHeaders(status, route),
    content: {
      "application/json": {
        schema: errorSchema(codes),
        examples: Object.fromEntries(codes.map((code) => [code, { value: sampleError(code) }])),
      },
    },
  };
}

/** The shape of every error. */
export const ERROR: Schema = {
  type: "object",
  description: "Why a request was refused, or failed.",
  required: ["error"],
  properties: {
    error: {
      type: "object",
      required: ["code", "message", "param", "request_id"],
      properties: {
        code: { type: "string", description: "Decide by it: each operation names those that it may answer." },
        message: { type: "string", description: "For people to read: its wording may change." },
        param: {
          type: ["string", "null"],
          description: "The field that the error concerns, when it is one.",
        },
        request_id: { $ref: "#/components/schemas/RequestId" },
      },
    },
  },
};

/** Returns the schema of an error with one of these codes. */
function errorSchema(codes: readonly PublicCode[]): Schema {
  const code = { type: "string", enum: [...codes] };
  return {
    allOf: [{ $ref: "#/components/schemas/Error" }, { properties: { error: { properties: { code } } } }],
  };
}

function sampleError(code: PublicCode): JsonObject {
  const { when, param = null } = ERROR_TEXTS[code];
  const message = when.replaceAll("`", "").replace(/;.*/, ".");
  return { error: { code, message, param, request_id: sampleId("req") } };
}
