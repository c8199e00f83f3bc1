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
import { CURRENCIES } from "./field-schema.ts";
import { sampleId } from "./identifiers.ts";
import { isAlwaysPresent } from "./response-schema.ts";
import { ruleKeywords } from "./rule-keywords.ts";

const MOMENT = 1_767_323_045;

/** A request's body: what is required, and what has an example in its .proto file. */
export function sampleRequest(fields: readonly DescField[]): JsonObject {
  return sampleObject(
    fields.filter((field) => ruleKeywords(field).isRequired || getOption(field, fieldRules).example !== ""),
  );
}

/** An answer's object: what is always there, and what else has an example in its .proto file. */
export function sampleResponse(desc: DescMessage): JsonObject {
  return sampleObject(
    desc.fields.filter((field) => isAlwaysPresent(field) || getOption(field, fieldRules).example !== ""),
  );
}

/** An answer that is one of several: an example of each, by the name of its field. */
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

/** An example of each field. */
export function sampleObject(fields: readonly DescField[]): JsonObject {
  return Object.fromEntries(fields.map((field) => [field.name, sampleValue(field)]));
}

/** An example of a field's value. Throws Error where its .proto file has to name one. */
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

/** What an example leaves out of an object comes from the examples of the object's own fields. */
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
