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

const EXAMPLE_ID = /^([a-z]+)_[0-9a-z]{26}$/;
// Cursors are of the answer before, not of what was made.
const CURSOR = "starting_after";

/** An id of the examples, and the variable that has such an id once an answer had one. */
interface IdVariable {
  readonly prefix: string;
  readonly name: string;
  readonly example: string;
}

/**
 * Returns the document as a Postman collection, format 2.1, which Bruno imports too: a folder for each tag, a request for
 * each operation, with its example. Its variables are the address, the key, and an id of each kind: a script sets it from
 * each answer, so that the next request is about what the one before made or found.
 */
export function postmanCollection({ info, tags, paths }: ApiDocument): object {
  const ids = idVariables(paths);
  const requests = Object.entries(paths).flatMap(([path, verbs]) =>
    Object.entries(verbs).map(([verb, operation]) => ({
      tag: operation.tags[0],
      item: item(path, verb, operation, ids),
    })),
  );
  return {
    info: { name: info.title, description: info.description, schema: SCHEMA },
    auth: { type: "bearer", bearer: [{ key: "token", value: "{{key}}", type: "string" }] },
    variable: [
      { key: "baseUrl", value: "http://localhost:8080" },
      { key: "key", value: "" },
      ...ids.map(({ name, example }) => ({ key: name, value: example })),
    ],
    event: [{ listen: "test", script: { type: "text/javascript", exec: carryingScript(ids) } }],
    item: tags.map(({ name, description }) => ({
      name,
      description,
      item: requests.filter(({ tag }) => tag === name).map((request) => request.item),
    })),
  };
}

/** Returns a variable for each kind of id in a path, named after what it is of: `payments/{id}` is payment_id. */
function idVariables(paths: ApiDocument["paths"]): IdVariable[] {
  const found = new Map<string, IdVariable>();
  for (const [path, verbs] of Object.entries(paths)) {
    for (const { parameters = [] } of Object.values(verbs)) {
      for (const parameter of parameters.filter((one) => one.in === "path")) {
        const [example, prefix] = EXAMPLE_ID.exec(textOf(parameter)) ?? [];
        const owner = new RegExp(`([a-z_]+)/\\{${parameter.name}\\}`).exec(path)?.[1];
        if (example === undefined || prefix === undefined || owner === undefined) continue;
        if (!found.has(prefix)) found.set(prefix, { prefix, name: `${singular(owner)}_id`, example });
      }
    }
  }
  return [...found.values()];
}

function singular(noun: string): string {
  return noun.endsWith("ies") ? `${noun.slice(0, -3)}y` : noun.replace(/s$/, "");
}

/**
 * Returns the script that runs after each answer. It sets the variables by the ids of what was answered, or of the first
 * one of a list; its own id comes last.
 */
function carryingScript(ids: readonly IdVariable[]): string[] {
  const names = Object.fromEntries(ids.map(({ prefix, name }) => [prefix, name]));
  return [
    `const names = ${JSON.stringify(names)};`,
    "if (pm.response.code < 300) {",
    "  let answer = null;",
    "  try { answer = pm.response.json(); } catch (error) { answer = null; }",
    "  const one = answer && Array.isArray(answer.data) ? answer.data[0] : answer;",
    '  const keys = Object.keys(one || {}).filter((key) => key.endsWith("_id"));',
    '  [...keys, "id"].forEach((key) => {',
    "    const id = one ? one[key] : undefined;",
    '    const name = typeof id === "string" ? names[id.split("_")[0]] : undefined;',
    "    if (name) pm.collectionVariables.set(name, id);",
    "  });",
    "}",
  ];
}

/** Returns a text with the examples' ids replaced by their variables. */
function withVariables(text: string, ids: readonly IdVariable[]): string {
  return ids.reduce((filled, { name, example }) => filled.replaceAll(example, `{{${name}}}`), text);
}

function item(path: string, verb: string, operation: ApiOperation, ids: readonly IdVariable[]): object {
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
        ids,
      ),
      ...(requestBody
        ? {
            body: {
              mode: "raw",
              raw: withVariables(JSON.stringify(body, null, 2), ids),
              options: { raw: { language: "json" } },
            },
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
function url(path: string, parameters: readonly Parameter[], ids: readonly IdVariable[]): object {
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
      .map((parameter) => ({ key: parameter.name, value: withVariables(textOf(parameter), ids) })),
    query: query.map((parameter) => ({
      key: parameter.name,
      value: parameter.name === CURSOR ? textOf(parameter) : withVariables(textOf(parameter), ids),
      description: parameter.description,
      disabled: parameter.required !== true,
    })),
  };
}

function textOf({ example = "" }: Parameter): string {
  return typeof example === "string" ? example : JSON.stringify(example);
}
