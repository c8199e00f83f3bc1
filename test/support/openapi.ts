import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import { readFileSync } from "node:fs";
import { join } from "node:path";

/** A part of the document, by what tests look at. */
export interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly security?: readonly Record<string, readonly string[]>[];
  readonly parameters?: readonly JsonObject[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, ResponseObject | { $ref: string }>>;
}

interface ResponseObject {
  readonly headers?: Readonly<Record<string, { $ref: string }>>;
  readonly content?: Content;
}

interface Content {
  readonly "application/json": {
    readonly schema: JsonObject;
    readonly example?: unknown;
    readonly examples?: Readonly<Record<string, { readonly value: unknown }>>;
  };
}

type JsonObject = Record<string, unknown>;

interface Document {
  readonly info: { readonly version: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly webhooks: Readonly<Record<string, { readonly post: Operation }>>;
  readonly components: Readonly<Record<"headers" | "parameters" | "responses" | "schemas", JsonObject>>;
}

const FILE = join(import.meta.dirname, "..", "..", "gen", "openapi.json");
const ID = "openapi.json";

/** The document as it is published. */
export const openApi = JSON.parse(readFileSync(FILE, "utf8")) as Document & JsonObject;

const ajv = new Ajv2020({ strict: false, allErrors: true, formats: { int32: true, int64: true, uri: true } });
ajv.addSchema(closed(openApi) as JsonObject, ID);

/** The same with closed answers: what a client must ignore, a test must not. */
function closed(part: unknown): unknown {
  if (Array.isArray(part)) return part.map(closed);
  if (typeof part !== "object" || part === null) return part;
  const copy: JsonObject = Object.fromEntries(
    Object.entries(part).map(([key, value]) => [key, closed(value)]),
  );
  return copy["type"] === "object" && "properties" in copy ? { additionalProperties: false, ...copy } : copy;
}

function schemaAt(place: readonly string[]): ValidateFunction {
  const pointer = place.map((part) => encodeURIComponent(part.replaceAll("~", "~0").replaceAll("/", "~1")));
  const validate = ajv.getSchema(`${ID}#/${pointer.join("/")}`);
  if (!validate) throw new Error(`no schema at ${place.join(" ")}`);
  return validate;
}

/** What is wrong with a value, held against the schema at a place of the document, closed. */
export function problemsAt(place: readonly string[], value: unknown): string[] {
  const validate = schemaAt(place);
  if (validate(value)) return [];
  return (validate.errors ?? []).map(
    ({ instancePath, message = "", params }) => `${instancePath} ${message} ${JSON.stringify(params)}`,
  );
}

/** Where an answer is in the document and what it is, a reference followed; undefined where there is none. */
export function answerAt(
  path: string,
  verb: string,
  status: number,
): { place: string[]; answer: ResponseObject } | undefined {
  const answer = openApi.paths[path]?.[verb]?.responses[status];
  if (!answer) return undefined;
  if (!("$ref" in answer)) return { place: ["paths", path, verb, "responses", String(status)], answer };
  const name = answer.$ref.split("/").at(-1) ?? "";
  return {
    place: ["components", "responses", name],
    answer: openApi.components.responses[name] as ResponseObject,
  };
}

/** Every operation with its path and verb. */
export function operations(): { path: string; verb: string; operation: Operation }[] {
  return Object.entries(openApi.paths).flatMap(([path, verbs]) =>
    Object.entries(verbs).map(([verb, operation]) => ({ path, verb, operation })),
  );
}
