import { getOption, ScalarType, type DescEnum, type DescField, type DescMessage } from "@bufbuild/protobuf";
import { field as fieldRules } from "../../gen/paylink/options/v1/options_pb.ts";
import { enumWords } from "../../contract/enum-words.ts";
import { textOf, type CommentOf } from "./comments.ts";
import { ruleKeywords, type RuleKeywords } from "./rule-keywords.ts";
import type { Components, Schema } from "./schema.ts";

/** The values of a currency field. */
export const CURRENCIES = ["BRL", "USD"];

/** The context of one document's schemas. */
export interface SchemaContext {
  readonly components: Components;
  readonly commentOf: CommentOf;
  /** Returns the schema of an embedded message: closed in requests, open in responses. */
  readonly embedded: (desc: DescMessage, context: SchemaContext) => Schema;
}

/** Returns the schema of a field's value in JSON, with its comment and its rules. */
export function fieldSchema(field: DescField, context: SchemaContext): Schema {
  const rules = ruleKeywords(field);
  const options = getOption(field, fieldRules);
  return {
    ...valueSchema(field, rules, context),
    ...rules.value,
    ...(options.keysMax > 0 ? { maxProperties: options.keysMax } : {}),
    ...(options.reservedKeyPrefix === ""
      ? {}
      : { propertyNames: { not: { pattern: `^${options.reservedKeyPrefix}` } } }),
    ...(options.default === "" ? {} : { default: JSON.parse(options.default) }),
    description: textOf(context.commentOf(field)),
  };
}

function valueSchema(field: DescField, rules: RuleKeywords, context: SchemaContext): Schema {
  switch (field.fieldKind) {
    case "scalar":
      return scalarSchema(field, field.scalar);
    case "enum":
      return enumSchema(field.enum, rules, context);
    case "list":
      return { type: "array", items: itemSchema(field, rules, context) };
    case "message":
      return messageSchema(field, field.message, context);
    case "map":
      throw new Error(`${field.toString()}: maps are not part of the public contract`);
  }
}

function itemSchema(field: DescField & { fieldKind: "list" }, rules: RuleKeywords, context: SchemaContext) {
  switch (field.listKind) {
    case "scalar":
      return { ...scalarSchema(field, field.scalar), ...rules.items };
    case "enum":
      return enumSchema(field.enum, rules, context);
    case "message":
      return messageSchema(field, field.message, context);
  }
}

function scalarSchema(field: DescField, scalar: ScalarType): Schema {
  const { decimals, isCurrency } = getOption(field, fieldRules);
  switch (scalar) {
    case ScalarType.STRING:
      return isCurrency ? { type: "string", enum: CURRENCIES } : { type: "string" };
    case ScalarType.BOOL:
      return { type: "boolean" };
    case ScalarType.BYTES:
      return { type: "string", contentEncoding: "base64" };
    case ScalarType.INT32:
      return { type: "integer", format: "int32" };
    case ScalarType.INT64:
      return decimals > 0 ? { type: "number", minimum: 0 } : { type: "integer", format: "int64" };
    default:
      throw new Error(`${field.toString()}: this type is not part of the public contract`);
  }
}

function enumSchema(desc: DescEnum, { enumNumbers }: RuleKeywords, context: SchemaContext): Schema {
  const { wordOf } = enumWords(desc);
  if (enumNumbers) return { type: "string", enum: enumNumbers.map((number) => wordOf.get(number) ?? "") };
  return context.components.refer("schemas", desc.name, () => {
    const meanings = desc.values
      .filter(({ number }) => wordOf.has(number))
      .map((value) => `- \`${wordOf.get(value.number)}\`: ${textOf(context.commentOf(value))}`);
    return {
      type: "string",
      enum: [...wordOf.values()],
      description: [textOf(context.commentOf(desc)), meanings.join("\n")].join("\n\n"),
    };
  });
}

function messageSchema(field: DescField, desc: DescMessage, context: SchemaContext): Schema {
  if (desc.typeName === "google.protobuf.Timestamp") return { type: "integer", format: "int64", minimum: 0 };
  if (desc.typeName === "google.protobuf.Struct") return { type: "object", additionalProperties: true };
  if (!getOption(field, fieldRules).isList) return context.embedded(desc, context);
  const [only] = desc.fields;
  if (only?.fieldKind !== "list") throw new Error(`${desc.typeName} must have one repeated field`);
  const rules = ruleKeywords(only);
  return { type: "array", items: itemSchema(only, rules, context), ...rules.value };
}
