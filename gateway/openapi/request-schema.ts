import { publicFields } from "../../contract/public-fields.ts";
import { getOption, type DescField, type DescMessage } from "@bufbuild/protobuf";
import { message as messageRules } from "../../gen/paylink/options/v1/options_pb.ts";
import { fieldSchema, type SchemaContext } from "./field-schema.ts";
import { ruleKeywords } from "./rule-keywords.ts";
import type { Schema } from "./schema.ts";

/** Returns the schema of a request's body. It is closed, as unknown keys are refused, and it is not referenced. */
export function requestSchema(desc: DescMessage, context: SchemaContext, bound = new Set<string>()): Schema {
  const fields = unboundFields(desc, bound);
  const required = fields.filter((field) => ruleKeywords(field).isRequired).map(({ name }) => name);
  const { alternatives } = getOption(desc, messageRules);
  return {
    type: "object",
    ...(required.length > 0 ? { required } : {}),
    properties: Object.fromEntries(fields.map((field) => [field.name, fieldSchema(field, context)])),
    additionalProperties: false,
    ...(alternatives.length > 0 ? { oneOf: alternatives.map((group) => ({ required: group.fields })) } : {}),
  };
}

/** Returns the fields of a request that are not in its path. */
export function unboundFields(desc: DescMessage, bound: ReadonlySet<string>): DescField[] {
  return publicFields(desc).filter(({ name }) => !bound.has(name));
}
