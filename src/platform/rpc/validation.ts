import {
  create,
  getOption,
  type DescField,
  type DescMessage,
  type DescMethodUnary,
} from "@bufbuild/protobuf";
import { TimestampSchema, type Timestamp } from "@bufbuild/protobuf/wkt";
import { createValidator } from "@bufbuild/protovalidate";
import { ViolationsSchema, type Violation } from "@bufbuild/protovalidate/gen/buf/validate/validate_pb.js";
import { ConnectError, type Interceptor } from "@connectrpc/connect";
import { createValidateInterceptor } from "@connectrpc/validate";
import { invalidRequest, toConnectError } from "./errors.ts";
import { LAST_TIME } from "../time/timestamps.ts";
import { ruleWords } from "../../../contract/rule-words.ts";
import { violatedField } from "../../../contract/violated-field.ts";
import { isRead } from "./audit-trail.ts";
import { checkOwnText } from "./metadata.ts";
import { http } from "#schemas/google/api/annotations_pb.js";
import { ofMethod } from "../../../contract/of-method.ts";

// One of the process: it compiles a message's rules at its first request and keeps them. It counts a text's length in
// characters (code points), not in UTF-16 units.
const validate = createValidateInterceptor({ validator: createValidator({ regexMatch }) });

// A list may have thousands of bad entries, and to explain fifty takes as much time as a whole request.
const OF_FIELD_MAX = 16;

/**
 * Validates every request by the rules of its .proto, then for NUL characters, impossible times and numbers of cards in texts. Error:
 * invalid_request with the first violated field as param. The details have the violations of
 * rules, of a field the first 16, both as google.rpc.BadRequest and as protovalidate's message.
 */
export function validateRequests(): Interceptor {
  return (next) => {
    const checked = validate((valid) => {
      if (!valid.stream) {
        refuseUnstorable(valid.method, valid.message);
        refuseOddTimes(valid.method, valid.message);
        refuseCardTexts(valid.method, valid.message);
      }
      return next(valid);
    });
    return (request) => {
      try {
        // Not awaited: what is thrown here is a refusal of the request, and not an error of the call.
        return checked(request);
      } catch (error) {
        throw explained(error, request.method.input);
      }
    };
  };
}

const patterns = new Map<string, RegExp>();

/** The patterns are the schemas' own, which need no protection against a hostile pattern: RE2 takes four times as long. */
function regexMatch(pattern: string, text: string): boolean {
  let compiled = patterns.get(pattern);
  if (!compiled) patterns.set(pattern, (compiled = new RegExp(pattern, "u")));
  return compiled.test(text);
}

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
function refuseUnstorable(method: DescMethodUnary, message: object): void {
  const fields = message as Readonly<Record<string, unknown>>;
  const ids = publicIds(method);
  for (const key of Object.keys(fields)) {
    if (key === SEARCHED || ids.has(key)) continue;
    const value = fields[key];
    const problem = problemIn(value);
    if (problem === undefined) continue;
    const param = fieldNameOf(method.input, key, value);
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
function fieldNameOf({ fields }: DescMessage, key: string, value: unknown): string {
  const isChoice = typeof value === "object" && value !== null && "case" in value;
  const localName = isChoice ? value.case : key;
  return fields.find((field) => field.localName === localName)?.name ?? key;
}

const FIRST_SECOND = BigInt(Date.parse("0001-01-01T00:00:00Z") / 1000);
const LAST_SECOND = BigInt(Math.floor(LAST_TIME.getTime() / 1000));
const NANOS_MAX = 999_999_999;

/** Returns the time fields of an RPC's request, each as the fields that lead to it: those of nested messages too. */
export const timesOf = ofMethod(({ input }) => timesIn(input));

function timesIn(schema: DescMessage, above: readonly DescMessage[] = []): (readonly DescField[])[] {
  if (above.includes(schema)) return [];
  return schema.fields.flatMap((field) => {
    if (field.fieldKind !== "message") return [];
    if (field.message.typeName === TimestampSchema.typeName) return [[field]];
    return timesIn(field.message, [...above, schema]).map((path) => [field, ...path]);
  });
}

/** Refuses times outside the years 1 to 9999, in any request. Error: invalid_request on the request's field. */
function refuseOddTimes(method: DescMethodUnary, message: object): void {
  for (const path of timesOf(method)) {
    const time = path.reduce<unknown>(
      (value, { localName }) => (value as Readonly<Record<string, unknown>> | undefined)?.[localName],
      message,
    );
    if (time === undefined || isTime(time as Timestamp)) continue;
    const name = path.map((field) => field.name).join(".");
    throw invalidRequest(
      path[0]?.name ?? null,
      `${name} must be a time from 0001-01-01T00:00:00Z to 9999-12-31T23:59:59Z.`,
    );
  }
}

function isTime({ seconds, nanos }: Timestamp): boolean {
  return seconds >= FIRST_SECOND && seconds <= LAST_SECOND && nanos >= 0 && nanos <= NANOS_MAX;
}

// What users name and note, and addresses. Other fields are ids and secrets, or have checks of their own.
const NAMES = ["name", "displayName", "label", "note", "reason", "iofNature", "iofLegalBasis"];
const ADDRESSES = ["email", "url", "logoUrl", "contact", "site"];
const TEXTS = [...NAMES, ...ADDRESSES];

/** Refuses a card number in a text that would be kept, of any changing RPC. Error: invalid_request on the field. */
function refuseCardTexts(method: DescMethodUnary, message: object): void {
  if (isRead(method)) return;
  const fields = message as Readonly<Record<string, unknown>>;
  for (const key of TEXTS) {
    const text = fields[key];
    if (typeof text !== "string") continue;
    checkOwnText(method.input.fields.find(({ localName }) => localName === key)?.name ?? key, text);
  }
}

function explained(error: unknown, input: DescMessage): unknown {
  if (!(error instanceof ConnectError)) return error;
  const [{ violations: all } = create(ViolationsSchema)] = error.findDetails(ViolationsSchema);
  const violations = firstOfFields(all);
  const [first] = violations;
  if (!first) return error;
  for (const violation of violations) violation.message = sentenceOf(input, violation);
  const problem = invalidRequest(nameOf(first.field) ?? null, first.message);
  const fieldViolations = violations.map((violation) => ({
    field: pathOf(violation),
    reason: violation.ruleId,
    description: violation.message,
  }));
  const refused = toConnectError(problem, undefined, fieldViolations);
  refused.details.push({ desc: ViolationsSchema, value: { violations } });
  return refused;
}

function firstOfFields(violations: readonly Violation[]): Violation[] {
  const counts = new Map<string, number>();
  return violations.filter(({ field }) => {
    const name = nameOf(field) ?? "";
    const count = (counts.get(name) ?? 0) + 1;
    counts.set(name, count);
    return count <= OF_FIELD_MAX;
  });
}

/** Returns the name of the request's field, or undefined for the request itself. */
function nameOf(field: Violation["field"]): string | undefined {
  return field?.elements[0]?.fieldName;
}

/** Returns a path such as "metadata" or "payment_methods.values[1]". */
function pathOf({ field }: Violation): string {
  const steps = (field?.elements ?? []).map(({ fieldName, subscript }) =>
    subscript.case === undefined ? fieldName : `${fieldName}[${String(subscript.value)}]`,
  );
  return steps.join(".");
}

/** Returns a violated rule as a sentence in the contract's words, for example "name must be 1 to 500 characters." */
function sentenceOf(input: DescMessage, violation: Violation): string {
  const { names, field, kind, isEntry } = violatedField(input, violation);
  const words = field && kind && ruleWords(field, kind, isEntry);
  return `${names.join(".") || "The request"} ${words ?? "is not valid"}.`;
}
