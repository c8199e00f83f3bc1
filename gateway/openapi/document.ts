import type { DescMessage, DescService, JsonObject } from "@bufbuild/protobuf";
import { routesOf, type Route } from "../transcode/route.ts";
import { textOf, type CommentOf } from "./comments.ts";
import type { SchemaContext } from "./field-schema.ts";
import { ERROR } from "./errors.ts";
import { HEADERS, REQUEST_ID } from "./headers.ts";
import { documentedPath, operation } from "./operation.ts";
import { PARAMETERS } from "./parameters.ts";
import { responseSchema } from "./response-schema.ts";
import { Components } from "./schema.ts";
import { SERVICE_PATHS } from "./service-paths.ts";
import { TAG_OBJECTS } from "./tags.ts";
import { webhooks } from "./webhooks.ts";

/** The sources of the document. */
export interface Described {
  /** The release. The contract's own version is in its paths. */
  readonly version: string;
  readonly services: readonly DescService[];
  /** The body of every webhook. */
  readonly eventBody: DescMessage;
  readonly commentOf: CommentOf;
  /** Markdown before all operations. */
  readonly introduction: string;
}

const API_KEY = {
  type: "http",
  scheme: "bearer",
  bearerFormat: "svc_live_… or svc_test_…",
  description:
    "An API key. Its prefix chooses the environment: `svc_live_` production, `svc_test_` the sandbox. " +
    "Each operation names the scope that the key must carry.",
};

/** Returns the OpenAPI 3.1 document of the public contract. */
export function openApiDocument(described: Described): JsonObject {
  const { version, services, eventBody, commentOf, introduction } = described;
  const routes = routesOf(services);
  const components = new Components();
  components.refer("schemas", "RequestId", () => REQUEST_ID);
  components.refer("schemas", "Error", () => ERROR);
  const context: SchemaContext = { components, commentOf, embedded: responseSchema };
  const paths = { ...pathsOf(routes, context), ...SERVICE_PATHS };
  return {
    openapi: "3.1.1",
    info: {
      title: "paylink",
      version,
      summary: "Payment links, quotes and reconciliation",
      description: textOf(introduction),
    },
    servers: [{ url: "/", description: "The service that this document came from." }],
    tags: [...TAG_OBJECTS],
    paths,
    webhooks: webhooks(eventBody, context),
    components: {
      securitySchemes: { ApiKey: API_KEY },
      parameters: PARAMETERS,
      headers: HEADERS,
      ...components.toJson(),
    },
  };
}

function pathsOf(routes: readonly Route[], context: SchemaContext): Record<string, JsonObject> {
  const paths: Record<string, JsonObject> = {};
  for (const route of routes) {
    const path = (paths[documentedPath(route)] ??= {});
    path[route.verb.toLowerCase()] = operation(route, context);
  }
  return paths;
}
