import {
  create,
  getOption,
  hasOption,
  type DescMethodUnary,
  type DescService,
  type Message,
} from "@bufbuild/protobuf";
import { http } from "#schemas/google/api/annotations_pb.js";
import type { HttpRule } from "#schemas/google/api/http_pb.js";
import { Idempotency, method as methodRules } from "../../gen/paylink/options/v1/options_pb.ts";
import { invalidRequest } from "./errors.ts";
import { readJson } from "./json-reader.ts";
import { compileMessageReader } from "./message-reader.ts";
import { messageWriter } from "./message-writer.ts";
import { compileQueryReader, refuseQuery } from "./query-reader.ts";

const BODY_BYTES_MAX = 64 * 1024;

type Verb = "get" | "post" | "delete";
const MAIN_VERBS: readonly Verb[] = ["get", "post"];
/** Of additional_bindings: other names for what an RPC's own path does. */
const ADDITIONAL_VERBS: readonly Verb[] = ["delete"];

/** The REST side of an RPC, from its options in the .proto file. */
export interface Route {
  readonly method: DescMethodUnary;
  /** Its name in the OpenAPI document and the SDK. */
  readonly operationId: string;
  readonly verb: "GET" | "POST" | "DELETE";
  /** In the router's syntax: "/v1/payments/:id". */
  readonly path: string;
  /** Empty: none is needed. */
  readonly scope: string;
  readonly status: number;
  readonly idempotency: Idempotency;
  /** True: its calls are in the audit log. */
  readonly isAudited: boolean;
  /** The most bytes of a body. */
  readonly bodyBytesMax: number;
  /** False: a request has no body, or an empty object. */
  readonly takesBody: boolean;
  readonly isSandboxOnly: boolean;
  readonly isPublic: boolean;
  /** True: it is about the API key that calls. */
  readonly isForAnyKey: boolean;
  /** Returns the request's message. Errors: unknown_parameter, invalid_request. */
  read(parts: RequestParts): Message;
  /** Returns the response's body. */
  write(response: Message): string;
}

/** The parts of a request that its message is read from. */
interface RequestParts {
  readonly path: Readonly<Record<string, string>>;
  readonly query: string;
  readonly body: Uint8Array | undefined;
}

/** Returns the routes of all RPCs that have a path, and of each its additional ones. */
export function routesOf(services: readonly DescService[]): Route[] {
  return services.flatMap((service) =>
    service.methods
      .filter((method) => hasOption(method, http))
      .flatMap((method): Route[] => {
        if (method.methodKind !== "unary")
          throw new Error(`${method.toString()}: only unary RPCs have a path`);
        const unary = method as DescMethodUnary;
        const rule = getOption(method, http);
        return [
          routeOf(unary, rule, MAIN_VERBS),
          ...rule.additionalBindings.map((more) => routeOf(unary, more, ADDITIONAL_VERBS)),
        ];
      }),
  );
}

function routeOf(
  method: DescMethodUnary,
  { pattern, responseBody, body }: HttpRule,
  verbs: readonly Verb[],
): Route {
  const rules = getOption(method, methodRules);
  const verb = verbs.find((each) => each === pattern.case);
  if (verb === undefined || pattern.case !== verb) {
    throw new Error(`${method.toString()}: the verb must be ${verbs.join(" or ")}`);
  }
  const takesBody = verb === "post" && body !== "";
  const bound = new Set([...pattern.value.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? ""));
  if (!rules.isPublic && !rules.isForAnyKey && rules.scope === "")
    throw new Error(`${method.toString()}: a scope is missing`);
  return {
    method,
    operationId: verb === "delete" ? `${method.localName}ByDelete` : method.localName,
    verb: verb.toUpperCase() as Route["verb"],
    path: pattern.value.replaceAll(/\{(\w+)\}/g, ":$1"),
    scope: rules.scope,
    status: rules.status || 200,
    idempotency: rules.idempotency,
    isAudited: rules.isAudited,
    bodyBytesMax: rules.bodyBytesMax || BODY_BYTES_MAX,
    takesBody,
    isSandboxOnly: rules.isSandboxOnly,
    isPublic: rules.isPublic,
    isForAnyKey: rules.isForAnyKey,
    read: verb === "get" ? queryMessage(method, bound) : bodyMessage(method, bound, takesBody),
    write: responseWriter(method, responseBody),
  };
}

function queryMessage(method: DescMethodUnary, bound: ReadonlySet<string>): Route["read"] {
  const readQuery = compileQueryReader(method.input, bound);
  return ({ path, query }) => bindPath(method, readQuery(query), path);
}

function bodyMessage(method: DescMethodUnary, bound: ReadonlySet<string>, takesBody: boolean): Route["read"] {
  const unbound = method.input.fields.filter(({ name }) => !bound.has(name));
  if (!takesBody && unbound.length > 0)
    throw new Error(`${method.toString()}: ${unbound[0]?.name} is neither in the path nor in a body`);
  const readBody = compileMessageReader(method.input, bound);
  return ({ path, query, body }) => {
    if (query !== "") refuseQuery(query);
    if (!takesBody && !body?.length) return bindPath(method, create(method.input), path);
    if (!body || body.length === 0) throw invalidRequest(null, "A JSON body is required.");
    return bindPath(method, readBody(readJson(body)), path);
  };
}

function bindPath(method: DescMethodUnary, message: Message, path: RequestParts["path"]): Message {
  for (const name of Object.keys(path)) {
    const field = method.input.fields.find((candidate) => candidate.name === name);
    if (field) (message as unknown as Record<string, unknown>)[field.localName] = path[name];
  }
  return message;
}

function responseWriter(method: DescMethodUnary, responseBody: string): Route["write"] {
  if (responseBody === "") return messageWriter(method.output);
  const field = method.output.fields.find(({ name }) => name === responseBody);
  if (!field?.message) throw new Error(`${method.toString()}: no message field ${responseBody}`);
  const write = messageWriter(field.message);
  return (response) => {
    const value = (response as unknown as Record<string, unknown>)[field.localName];
    if (value === undefined) throw new Error(`${method.toString()}: ${responseBody} is not set`);
    return write(value as Message);
  };
}
