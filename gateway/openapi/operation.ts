import { getOption, type DescMessage, type JsonObject } from "@bufbuild/protobuf";
import { http } from "#schemas/google/api/annotations_pb.js";
import type { Route } from "../transcode/route.ts";
import { summaryAndRest } from "./comments.ts";
import { errorResponses } from "./errors.ts";
import type { SchemaContext } from "./field-schema.ts";
import { responseHeaders } from "./headers.ts";
import { boundNames, parametersOf } from "./parameters.ts";
import { requestSchema, unboundFields } from "./request-schema.ts";
import { responseSchema } from "./response-schema.ts";
import { withOutcome } from "./sample-outcomes.ts";
import { sampleChoices, sampleRequest, sampleResponse } from "./samples.ts";
import { tagOf } from "./tags.ts";

/** Returns the route's path in the document's syntax: "/v1/payments/{id}". */
export function documentedPath({ path }: Pick<Route, "path">): string {
  return path.replaceAll(/:(\w+)/g, "{$1}");
}

/** Returns the operation of an RPC: one verb on one path. */
export function operation(route: Route, context: SchemaContext): JsonObject {
  const { method, operationId, scope, status } = route;
  const { summary, rest } = summaryAndRest(context.commentOf(method));
  const parameters = parametersOf(route, context);
  return {
    operationId,
    tags: [tagOf(documentedPath(route))],
    summary,
    description: [...rest, ...conditions(route)].join(" "),
    security: route.isPublic ? [] : [{ ApiKey: scope === "" ? [] : [scope] }],
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(route.takesBody ? { requestBody: requestBody(route, context) } : {}),
    responses: {
      [String(status)]: {
        description: status === 201 ? "Created." : "Success.",
        headers: responseHeaders(status, route),
        content: { "application/json": answer(operationId, answeredMessage(route), context) },
      },
      ...errorResponses(route, context.components),
    },
  };
}

/** Returns the operation's options in words. */
function conditions({ scope, isSandboxOnly }: Route): string[] {
  return [
    ...(scope === "" ? [] : [`Scope: \`${scope}\`.`]),
    ...(isSandboxOnly ? ["Sandbox only: a live key is refused."] : []),
  ];
}

function requestBody(route: Route, context: SchemaContext): JsonObject {
  const bound = boundNames(route);
  const { input } = route.method;
  return {
    required: true,
    content: {
      "application/json": {
        schema: requestSchema(input, context, bound),
        example: sampleRequest(unboundFields(input, bound)),
      },
    },
  };
}

function answer(operationId: string, desc: DescMessage, context: SchemaContext): JsonObject {
  const schema = responseSchema(desc, context);
  if (!("oneOf" in schema)) return { schema, example: withOutcome(operationId, sampleResponse(desc)) };
  const samples = Object.entries(sampleChoices(desc.fields));
  return { schema, examples: Object.fromEntries(samples.map(([name, value]) => [name, { value }])) };
}

/** Returns the message in the response's body: the RPC's response, or the member that its options name. */
function answeredMessage({ method }: Route): DescMessage {
  const { responseBody } = getOption(method, http);
  if (responseBody === "") return method.output;
  const field = method.output.fields.find(({ name }) => name === responseBody);
  if (!field?.message) throw new Error(`${method.toString()}: no message field ${responseBody}`);
  return field.message;
}
