/** Of an OpenAPI document, what a collection is made of. */
export interface ApiDocument {
  readonly info: { readonly title: string; readonly description: string };
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, ApiOperation>>>>;
}

interface ApiOperation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description?: string;
  readonly security?: readonly object[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: {
    readonly content: { readonly "application/json": { readonly example?: unknown } };
  };
}

interface Parameter {
  readonly $ref?: string;
  readonly in?: string;
  readonly name?: string;
  readonly required?: boolean;
  readonly description?: string;
  readonly example?: unknown;
}

const SCHEMA = "https://schema.getpostman.com/json/collection/v2.1.0/collection.json";

/**
 * Returns the document as a Postman collection, format 2.1, which Bruno imports too: a folder for each tag, a request for
 * each operation, with its example. Its variables are the address and the key.
 */
export function postmanCollection({ info, tags, paths }: ApiDocument): object {
  const requests = Object.entries(paths).flatMap(([path, verbs]) =>
    Object.entries(verbs).map(([verb, operation]) => ({
      tag: operation.tags[0],
      item: item(path, verb, operation),
    })),
  );
  return {
    info: { name: info.title, description: info.description, schema: SCHEMA },
    auth: { type: "bearer", bearer: [{ key: "token", value: "{{key}}", type: "string" }] },
    variable: [
      { key: "baseUrl", value: "http://localhost:8080" },
      { key: "key", value: "" },
    ],
    item: tags.map(({ name, description }) => ({
      name,
      description,
      item: requests.filter(({ tag }) => tag === name).map((request) => request.item),
    })),
  };
}

function item(path: string, verb: string, operation: ApiOperation): object {
  const { operationId, summary, description = "", security = [], parameters = [], requestBody } = operation;
  const body = requestBody?.content["application/json"].example;
  const isKeyed = parameters.some(({ $ref = "" }) => $ref.endsWith("IdempotencyKey"));
  return {
    name: operationId,
    request: {
      method: verb.toUpperCase(),
      description: [summary, description].filter((text) => text !== "").join(".\n\n"),
      ...(security.length === 0 ? { auth: { type: "noauth" } } : {}),
      header: [
        ...(isKeyed ? [{ key: "Idempotency-Key", value: "{{$guid}}" }] : []),
        ...(requestBody ? [{ key: "Content-Type", value: "application/json" }] : []),
      ],
      url: url(
        path,
        parameters.map((each) => ({ ...each, required: isSent(operationId, each) })),
      ),
      ...(requestBody
        ? {
            body: { mode: "raw", raw: JSON.stringify(body, null, 2), options: { raw: { language: "json" } } },
          }
        : {}),
    },
  };
}

// The document cannot say that these are required unless others are given.
const SENT: Readonly<Record<string, readonly string[]>> = { listPayments: ["from", "to"] };

function isSent(operationId: string, { name = "", required }: Parameter): boolean {
  return required === true || (SENT[operationId]?.includes(name) ?? false);
}

/** Returns the address. Optional parameters of the query are there and switched off. */
function url(path: string, parameters: readonly Parameter[]): object {
  const addressed = path.replaceAll(/\{(\w+)\}/g, ":$1");
  const query = parameters.filter((parameter) => parameter.in === "query");
  const required = query.filter((parameter) => parameter.required === true);
  const search = required.map((parameter) => `${parameter.name}=${textOf(parameter)}`).join("&");
  return {
    raw: `{{baseUrl}}${addressed}${search === "" ? "" : `?${search}`}`,
    host: ["{{baseUrl}}"],
    path: addressed.split("/").slice(1),
    variable: parameters
      .filter((parameter) => parameter.in === "path")
      .map((parameter) => ({ key: parameter.name, value: textOf(parameter) })),
    query: query.map((parameter) => ({
      key: parameter.name,
      value: textOf(parameter),
      description: parameter.description,
      disabled: parameter.required !== true,
    })),
  };
}

function textOf({ example = "" }: Parameter): string {
  return typeof example === "string" ? example : JSON.stringify(example);
}
