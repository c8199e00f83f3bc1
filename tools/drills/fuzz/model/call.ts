import type { Refusal } from "../contract.ts";
import type { CallerName, Json, JsonObject } from "./world.ts";

type OperationName = "link" | "quote" | "accept" | "intent" | "simulate" | "get" | "list" | "cancel";

/** One call as it is sent, and what the model has to know of it. */
export interface Call {
  readonly caller: CallerName;
  readonly operation: OperationName;
  readonly path: string;
  /** Of a POST. */
  readonly body: JsonObject;
  /** The body as it is written. */
  readonly text: string;
  /** Null: no header. */
  readonly key: string | null;
  /** The object in the path, or the cursor of a list. */
  readonly id: string;
  /** What its body is refused for, when it is looked at. */
  readonly fault: Refusal | undefined;
  /** Why it must be refused before anything is looked up: for its body or for what comes before. */
  readonly refusal: Refusal | undefined;
}

/** The same body written in another way: other order of members, spaces, escapes. */
export function written(body: JsonObject, form: number): string {
  if (form === 0) return JSON.stringify(body);
  if (form === 1) return ` ${JSON.stringify(reversed(body), null, 2)}\r\n`;
  return JSON.stringify(body).replaceAll(
    /[^ -~]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

function reversed(body: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(body).toReversed());
}

/** What makes two calls of one key the same. */
export function fingerprintOf({ path, body }: Pick<Call, "path" | "body">): string {
  return `${path} ${JSON.stringify(sorted(body))}`;
}

function sorted(value: Json): Json {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(sorted);
  const entries = Object.entries(value as JsonObject);
  // As arrays of pairs, so that no name of a member is special.
  return entries.toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([name, item]) => [name, sorted(item)]);
}
