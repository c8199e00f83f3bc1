import {
  getOption,
  ScalarType,
  type DescField,
  type DescMessage,
  type JsonObject,
  type JsonValue,
} from "@bufbuild/protobuf";
import { field as fieldRules } from "../../gen/paylink/options/v1/options_pb.ts";
import { enumWords } from "../../contract/enum-words.ts";
import { answeredFields, answeredName, jsonMessage } from "../../contract/public-fields.ts";
import { CURRENCIES } from "./field-schema.ts";
import { sampleId } from "./identifiers.ts";
import { isAlwaysPresent } from "./response-schema.ts";
import { ruleKeywords } from "./rule-keywords.ts";

/** The time of all examples, Unix time in seconds. */
export const MOMENT = 1_767_323_045;

/** Returns a request's body with the required fields and those with an example in their .proto file. */
export function sampleRequest(fields: readonly DescField[]): JsonObject {
  return sampleObject(
    fields.filter((field) => ruleKeywords(field).isRequired || getOption(field, fieldRules).example !== ""),
  );
}

/** Returns a response's object with the fields that are always present and those with an example in the .proto file. */
export function sampleResponse(desc: DescMessage): JsonObject {
  const json = jsonMessage(desc);
  if (json) return sampleResponse(json);
  return sampleObject(
    answeredFields(desc).filter(
      (field) => isAlwaysPresent(field) || getOption(field, fieldRules).example !== "",
    ),
  );
}

/** Returns an example of each case of a response, by the name of its field. */
export function sampleChoices(fields: readonly DescField[]): Record<string, JsonObject> {
  return Object.fromEntries(
    fields.map((field) => {
      const sample = sampleObject([field]);
      return [
        field.name,
        getOption(field, fieldRules).isInline ? (sample[field.name] as JsonObject) : sample,
      ];
    }),
  );
}

/** Returns an example of each field. */
export function sampleObject(fields: readonly DescField[]): JsonObject {
  return Object.fromEntries(fields.map((field) => [answeredName(field), sampleValue(field)]));
}

/** Returns an example of a field's value. Throws Error when its .proto file must have one and does not. */
export function sampleValue(field: DescField): JsonValue {
  const { example, idPrefix, isCurrency, isNullable } = getOption(field, fieldRules);
  if (example !== "") return completed(field, JSON.parse(example) as JsonValue);
  if (idPrefix !== "") return sampleId(idPrefix);
  if (isCurrency) return CURRENCIES[0] ?? "";
  if (isNullable && !field.message) return null;
  switch (field.fieldKind) {
    case "enum":
      return [...enumWords(field.enum).wordOf.values()][0] ?? "";
    case "message":
      return sampleMessage(field.message);
    case "list":
      if (field.listKind === "message") return [sampleMessage(field.message)];
      break;
    case "scalar":
      if (field.scalar === ScalarType.BOOL) return false;
      break;
    case "map":
      break;
  }
  throw new Error(`${field.toString()} needs an example`);
}

/** Returns the example with missing members filled in from the examples of the object's own fields. */
function completed(field: DescField, example: JsonValue): JsonValue {
  if (Array.isArray(example)) return example.map((item) => completed(field, item));
  if (typeof example !== "object" || example === null || !field.message) return example;
  const sample = sampleMessage(field.message);
  return typeof sample === "object" ? { ...(sample as JsonObject), ...example } : example;
}

function sampleMessage(desc: DescMessage): JsonValue {
  if (desc.typeName === "google.protobuf.Timestamp") return MOMENT;
  return desc.typeName === "google.protobuf.Struct" ? {} : sampleResponse(desc);
}
