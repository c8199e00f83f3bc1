import { getOption, type DescMessage, type DescMethodUnary } from "@bufbuild/protobuf";
import { http } from "#schemas/google/api/annotations_pb.js";
import { invalidRequest } from "./errors.ts";
import { ofMethod } from "./of-method.ts";

// What is searched for is freed of it: no text that is kept can have it.
const SEARCHED = "query";

const isPublic = ofMethod((method) => getOption(method, http).pattern.case !== undefined);

/**
 * Refuses a NUL character in any text of an internal request: the database stores every character but this one. The
 * public API sees to it where texts are read, and answers an id with it as an unknown one.
 * Error: invalid_request on the field.
 */
export function refuseNul(method: DescMethodUnary, message: object): void {
  if (isPublic(method)) return;
  for (const [key, value] of Object.entries(message)) {
    if (key === SEARCHED || !hasNul(value)) continue;
    const param = nameOf(method.input, key, value);
    throw invalidRequest(param, `${param} holds a NUL character.`);
  }
}

function hasNul(value: unknown): boolean {
  if (typeof value === "string") return value.includes("\0");
  if (typeof value !== "object" || value === null || value instanceof Uint8Array) return false;
  return Object.entries(value).some(([key, inner]) => hasNul(key) || hasNul(inner));
}

/** As the .proto has it; of a oneof it is the field that is set. */
function nameOf({ fields }: DescMessage, key: string, value: unknown): string {
  const isChoice = typeof value === "object" && value !== null && "case" in value;
  const localName = isChoice ? value.case : key;
  return fields.find((field) => field.localName === localName)?.name ?? key;
}
