import {
  type DescField,
  type DescMethod,
  type DescMethodUnary,
  type DescService,
  type Message,
  ScalarType,
  getOption,
  hasOption,
} from "@bufbuild/protobuf";
import { http } from "#schemas/google/api/annotations_pb.js";
import { method as methodRules, type MethodRules } from "../../gen/paylink/options/v1/options_pb.ts";
import { invalidRequest } from "./errors.ts";
import { JsonReader } from "./json-reader.ts";
import { compileMessageReader, openMessage, type OpenMessage } from "./message-reader.ts";
import { compileMessageWriter } from "./message-writer.ts";
import { parsePathTemplate } from "./path-template.ts";
import { compileQueryReader } from "./query-reader.ts";

/** What a request brings besides its headers. */
export interface RequestParts {
  /** Variables of the path, decoded, by name. */
  readonly path: Readonly<Record<string, string>>;
  /** The text after "?", as sent. */
  readonly query: string;
  /** The body's bytes; undefined when there was none. */
  readonly body: Uint8Array | undefined;
}

/** The REST side of one RPC, derived from its descriptor alone. */
export interface Route {
  readonly method: DescMethodUnary;
  readonly verb: string;
  /** The path as Fastify writes it. */
  readonly url: string;
  readonly rules: MethodRules;
  readonly hasBody: boolean;
  /** HTTP status of success. */
  readonly status: number;
  /** Reads the request message. Errors: unknown_parameter, invalid_request. */
  read(parts: RequestParts): Message;
  /** Writes the response message as a JSON document. Throws when it breaks the contract. */
  write(response: Message): string;
}

/** The routes of a service: one for each RPC that has a google.api.http. Throws when a descriptor breaks a rule. */
export function compileRoutes(service: DescService): Route[] {
  return service.methods.filter((method) => hasOption(method, http)).map(compileRoute);
}

function compileRoute(method: DescMethod): Route {
  const rule = getOption(method, http);
  const rules = getOption(method, methodRules);
  const { pattern } = rule;
  if (method.methodKind !== "unary") throw new Error(`${method} has a path but is not unary`);
  if (pattern.case === undefined || pattern.case === "custom") throw new Error(`${method} has no supported verb`);
  if (rule.body !== "" && rule.body !== "*") throw new Error(`${method} maps a part of its message to the body`);
  if (rule.additionalBindings.length > 0) throw new Error(`${method} has more than one path`);
  if (!rules.isPublic && rules.scope === "") throw new Error(`${method} is neither public nor has it a scope`);
  const { url, fieldNames } = parsePathTemplate(pattern.value);
  const hasBody = rule.body === "*";
  return {
    method,
    verb: pattern.case.toUpperCase(),
    url,
    rules,
    hasBody,
    status: rules.status || 200,
    read: compileRead(method, fieldNames, hasBody),
    write: compileWrite(method, rule.responseBody),
  };
}

function compileRead(
  method: DescMethodUnary,
  pathFieldNames: readonly string[],
  hasBody: boolean,
): (parts: RequestParts) => Message {
  const { input } = method;
  const pathFields = pathFieldNames.map((name) => pathField(method, name));
  const bound = new Set(pathFieldNames);
  const readQuery = compileQueryReader(hasBody ? [] : input.fields.filter(({ name }) => !bound.has(name)));
  const readBody = hasBody ? compileBodyReader(method, bound) : () => openMessage(input);
  return ({ path, query, body }) => {
    const parameters = hasBody ? undefined : openMessage(input);
    readQuery(query, parameters ?? openMessage(input));
    const message = parameters ?? readBody(body);
    for (const field of pathFields) message[field.localName] = pathValue(path, field.name);
    return message;
  };
}

function compileBodyReader(
  method: DescMethodUnary,
  bound: ReadonlySet<string>,
): (body: Uint8Array | undefined) => OpenMessage {
  const readMessage = compileMessageReader(method.input, bound);
  return (body) => {
    if (body === undefined || body.length === 0) throw invalidRequest(null, "A JSON body is required.");
    const reader = new JsonReader(body);
    const message = readMessage(reader);
    reader.end();
    // What is not an object has been noted, and end() has thrown it.
    return message ?? openMessage(method.input);
  };
}

function pathField(method: DescMethodUnary, name: string): DescField {
  const field = method.input.fields.find((candidate) => candidate.name === name);
  if (field?.fieldKind !== "scalar" || field.scalar !== ScalarType.STRING) {
    throw new Error(`${method} binds ${name} to its path, which is not a string field`);
  }
  return field;
}

function pathValue(path: Readonly<Record<string, string>>, name: string): string {
  const value = path[name] ?? "";
  if (value.includes("\0")) throw invalidRequest(name, `${name} has a character that is not accepted.`);
  return value;
}

function compileWrite(method: DescMethodUnary, responseBody: string): (response: Message) => string {
  const { output } = method;
  if (responseBody === "") return compileMessageWriter(output);
  const field = output.fields.find(({ name }) => name === responseBody);
  if (field?.fieldKind !== "message" || field.oneof) throw new Error(`${method} answers an unknown field`);
  const write = compileMessageWriter(field.message);
  return (response) => {
    const document = (response as OpenMessage)[field.localName];
    if (document === undefined) throw new Error(`${output.typeName}.${field.name} is not set`);
    return write(document as Message);
  };
}
