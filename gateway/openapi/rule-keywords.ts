import { getOption, hasOption, ScalarType, toJson, type DescField, type JsonValue } from "@bufbuild/protobuf";
import {
  field as validated,
  FieldRulesSchema,
} from "@bufbuild/protovalidate/gen/buf/validate/validate_pb.js";
import type { Schema } from "./schema.ts";

/** The rules on a field. */
export interface RuleKeywords {
  readonly isRequired: boolean;
  /** Keywords for the field's value. */
  readonly value: Schema;
  /** Keywords for each item of a list. */
  readonly items: Schema;
  /** The allowed numbers of an enum, or of each item in a list of enums; absent: all but 0. */
  readonly enumNumbers: readonly number[] | undefined;
}

const KEYWORDS: Readonly<Record<string, string>> = {
  min_len: "minLength",
  max_len: "maxLength",
  pattern: "pattern",
  gt: "exclusiveMinimum",
  gte: "minimum",
  lt: "exclusiveMaximum",
  lte: "maximum",
  min_items: "minItems",
  max_items: "maxItems",
  unique: "uniqueItems",
  in: "enum",
};

type Rules = Record<string, JsonValue>;

/** Returns the buf.validate rules of a field as JSON Schema. Throws Error for a rule that has no keyword here. */
export function ruleKeywords(field: DescField): RuleKeywords {
  if (!hasOption(field, validated))
    return { isRequired: false, value: {}, items: {}, enumNumbers: undefined };
  const rules = toJson(FieldRulesSchema, getOption(field, validated), { useProtoFieldName: true }) as Rules;
  const { required = false, ...typed } = rules;
  const [[type, ofType] = ["", {}], ...more] = Object.entries(typed) as [string, Rules][];
  if (more.length > 0) throw new Error(`${field.toString()}: more rules than those of one type`);
  const isRequired = required === true;
  if (type === "repeated") return { isRequired, ...listKeywords(field, ofType) };
  if (type === "enum") return { isRequired, value: {}, items: {}, enumNumbers: enumNumbers(ofType) };
  return { isRequired, value: keywords(field, ofType), items: {}, enumNumbers: undefined };
}

function listKeywords(field: DescField, { items = {}, ...rules }: Rules): Omit<RuleKeywords, "isRequired"> {
  const { enum: ofEnum, ...others } = items as Record<string, Rules>;
  const [ofItems = {}] = Object.values(others);
  return {
    value: keywords(field, rules),
    items: keywords(field, ofItems),
    enumNumbers: ofEnum && enumNumbers(ofEnum),
  };
}

/** Returns the numbers in the rule `in`. Other rules add nothing: unknown words are refused, and 0 has none. */
function enumNumbers({ in: numbers }: Rules): number[] | undefined {
  return numbers as number[] | undefined;
}

function keywords(field: DescField, rules: Rules): Schema {
  return Object.fromEntries(
    Object.entries(rules).map(([rule, value]) => {
      const keyword = KEYWORDS[rule];
      if (keyword === undefined) throw new Error(`${field.toString()}: no keyword expresses ${rule}`);
      if (field.scalar === ScalarType.BYTES) return [keyword, base64Length(Number(value))];
      // Protobuf's JSON writes 64-bit integers as strings.
      return [keyword, typeof value === "string" && rule !== "pattern" ? Number(value) : value];
    }),
  );
}

/** Returns the length of the base64 of so many bytes. */
function base64Length(bytes: number): number {
  return Math.ceil(bytes / 3) * 4;
}
