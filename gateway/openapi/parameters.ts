import { getOption, type DescField, type JsonObject } from "@bufbuild/protobuf";
import { Idempotency, field as fieldRules } from "../../gen/paylink/options/v1/options_pb.ts";
import type { Route } from "../transcode/route.ts";
import { fieldSchema, type SchemaContext } from "./field-schema.ts";
import { sampleValue } from "./samples.ts";
import { unboundFields } from "./request-schema.ts";
import { ruleKeywords } from "./rule-keywords.ts";

/** The Idempotency-Key header, required and optional. */
export const PARAMETERS: Readonly<Record<string, JsonObject>> = {
  IdempotencyKey: idempotencyKey(
    true,
    "A unique string for this request, a UUID for example. Kept for 24 hours.",
  ),
  OptionalIdempotencyKey: idempotencyKey(false, "Honoured when sent: a unique string for this request."),
};

function idempotencyKey(required: boolean, description: string): JsonObject {
  return {
    name: "Idempotency-Key",
    in: "header",
    required,
    description,
    schema: { type: "string", minLength: 1, maxLength: 255 },
    example: "7d0c1f0e-6f0b-4a53-9a53-0c5c0f4e2b11",
  };
}

/** Returns the parameters of an operation: path, query and headers. */
export function parametersOf(route: Route, context: SchemaContext): JsonObject[] {
  const bound = boundNames(route);
  const ofPath = route.method.input.fields.filter(({ name }) => bound.has(name));
  const ofQuery = route.verb === "GET" ? unboundFields(route.method.input, bound) : [];
  return [
    ...ofPath.map((field) => parameter(field, "path", context)),
    ...ofQuery.map((field) => parameter(field, "query", context)),
    ...(route.idempotency === Idempotency.UNSPECIFIED ? [] : [reference(route.idempotency)]),
  ];
}

/** Returns the names of the fields in a route's path. */
export function boundNames({ path }: Route): Set<string> {
  return new Set([...path.matchAll(/:(\w+)/g)].map(([, name = ""]) => name));
}

function parameter(field: DescField, location: "path" | "query", context: SchemaContext): JsonObject {
  const { description = "", ...schema } = fieldSchema(field, context);
  const { example, idPrefix } = getOption(field, fieldRules);
  return {
    name: field.name,
    in: location,
    required: location === "path" || ruleKeywords(field).isRequired,
    description,
    schema,
    ...(example === "" && idPrefix === "" ? {} : { example: sampleValue(field) }),
  };
}

function reference(idempotency: Idempotency): JsonObject {
  const name = idempotency === Idempotency.OPTIONAL ? "OptionalIdempotencyKey" : "IdempotencyKey";
  return { $ref: `#/components/parameters/${name}` };
}
