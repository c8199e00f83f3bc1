import { getOption, type DescMessage, type DescMethodUnary } from "@bufbuild/protobuf";
import { http } from "#schemas/google/api/annotations_pb.js";
import { invalidRequest } from "../rpc/errors.ts";
import { ofMethod } from "../../../contract/of-method.ts";

// NUL is removed from search texts, because no stored text can contain it.
const SEARCHED = "query";

// An id of the public API with such a character is unknown: the RPC refuses it.
const publicIds = ofMethod((method): ReadonlySet<string> => {
  const { pattern } = getOption(method, http);
  if (pattern.case !== "get" && pattern.case !== "post") return new Set();
  const bound = method.input.fields.filter(({ name }) => pattern.value.includes(`{${name}}`));
  return new Set(["startingAfter", ...bound.map(({ localName }) => localName)]);
});

/**
 * Refuses texts that the database cannot store, in keys of objects too: with NUL, or with half of a surrogate pair; and numbers
 * that JSON cannot have. The gateway refuses them where it parses; other callers come here. Error: invalid_request on the field.
 */
export function refuseUnstorable(method: DescMethodUnary, message: object): void {
  const fields = message as Readonly<Record<string, unknown>>;
  const ids = publicIds(method);
  for (const key of Object.keys(fields)) {
    if (key === SEARCHED || ids.has(key)) continue;
    const value = fields[key];
    const problem = problemIn(value);
    if (problem === undefined) continue;
    const param = nameOf(method.input, key, value);
    throw invalidRequest(param, `${param} holds ${problem}.`);
  }
}

function problemIn(value: unknown): string | undefined {
  if (typeof value === "string") {
    if (value.includes("\0")) return "a NUL character";
    return value.isWellFormed() ? undefined : "half of a surrogate pair";
  }
  if (typeof value === "number") return Number.isFinite(value) ? undefined : "a number that is not finite";
  if (typeof value !== "object" || value === null || value instanceof Uint8Array) return undefined;
  const members = value as Readonly<Record<string, unknown>>;
  for (const key of Object.keys(members)) {
    const problem = problemIn(key) ?? problemIn(members[key]);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/** Returns the field's name in the .proto; for a oneof, that of the field that is set. */
function nameOf({ fields }: DescMessage, key: string, value: unknown): string {
  const isChoice = typeof value === "object" && value !== null && "case" in value;
  const localName = isChoice ? value.case : key;
  return fields.find((field) => field.localName === localName)?.name ?? key;
}
