import { getOption, type DescMessage, type DescMethodUnary } from "@bufbuild/protobuf";
import { http } from "#schemas/google/api/annotations_pb.js";
import { invalidRequest } from "./errors.ts";
import { ofMethod } from "./of-method.ts";

// NUL is removed from search texts, because no stored text can contain it.
const SEARCHED = "query";

const isPublic = ofMethod((method) => getOption(method, http).pattern.case !== undefined);

/**
 * Refuses NUL in any text of an internal request: it is the only character that the database cannot store. The public
 * API refuses it where texts are parsed, and treats an id with NUL as unknown. Error: invalid_request on the field.
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

/** Returns the field's name in the .proto; for a oneof, that of the field that is set. */
function nameOf({ fields }: DescMessage, key: string, value: unknown): string {
  const isChoice = typeof value === "object" && value !== null && "case" in value;
  const localName = isChoice ? value.case : key;
  return fields.find((field) => field.localName === localName)?.name ?? key;
}
