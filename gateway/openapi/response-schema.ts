import { getOption, type DescField, type DescMessage } from "@bufbuild/protobuf";
import { idPattern } from "../../contract/ids.ts";
import { answeredFields, answeredName, jsonMessage, publicFields } from "../../contract/public-fields.ts";
import { field as fieldRules } from "../../gen/paylink/options/v1/options_pb.ts";
import { textOf } from "./comments.ts";
import { fieldSchema, type SchemaContext } from "./field-schema.ts";
import type { Schema } from "./schema.ts";

/** Returns a reference to the schema of a response's object. It is open: clients must ignore unknown fields. */
export function responseSchema(desc: DescMessage, context: SchemaContext): Schema {
  const json = jsonMessage(desc);
  if (json) return responseSchema(json, context);
  const [choice, ...more] = desc.oneofs.filter(({ fields }) => fields.every(({ oneof }) => oneof));
  if (!choice)
    return context.components.refer("schemas", desc.name, () =>
      objectSchema(desc, answeredFields(desc), context),
    );
  if (more.length > 0 || choice.fields.length !== desc.fields.length) {
    throw new Error(`${desc.typeName}: a choice must be all that a message holds`);
  }
  return { oneOf: choice.fields.map((field) => alternative(desc, field, context)) };
}

/** Returns the schema of a oneof's case: an inline case is the message itself, another an object with that member. */
function alternative(desc: DescMessage, field: DescField, context: SchemaContext): Schema {
  if (getOption(field, fieldRules).isInline && field.message) return responseSchema(field.message, context);
  return objectSchema(desc, [field], context);
}

/** Returns the schema of an object. The member of a oneof's case is always present in it. */
function objectSchema(desc: DescMessage, fields: readonly DescField[], context: SchemaContext): Schema {
  const optional = optionalMembers(desc);
  const required = fields.filter(
    (field) => field.oneof !== undefined || (isAlwaysPresent(field) && !optional.has(field)),
  );
  return {
    type: "object",
    description: textOf(context.commentOf(desc)),
    required: required.map(answeredName),
    properties: memberSchemas(fields, context),
  };
}

/** Returns the members of inline messages that may be left out as a whole. */
function optionalMembers(desc: DescMessage): ReadonlySet<DescField> {
  const inline = publicFields(desc).filter((field) => getOption(field, fieldRules).isInline);
  return new Set(
    inline.flatMap((field) =>
      field.message && field.proto.proto3Optional ? answeredFields(field.message) : [],
    ),
  );
}

/** Returns the schemas of a response's members by name. */
export function memberSchemas(fields: readonly DescField[], context: SchemaContext): Record<string, Schema> {
  return Object.fromEntries(fields.map((field) => [answeredName(field), memberSchema(field, context)]));
}

/** Returns whether the writer always writes the field. */
export function isAlwaysPresent(field: DescField): boolean {
  return getOption(field, fieldRules).isNullable || !field.proto.proto3Optional;
}

function memberSchema(field: DescField, context: SchemaContext): Schema {
  const { isNullable, idPrefix } = getOption(field, fieldRules);
  const schema = fieldSchema(field, context);
  if (idPrefix !== "") schema["pattern"] = idPattern(idPrefix);
  return isNullable ? nullable(schema) : schema;
}

function nullable({ type, description = "", ...schema }: Schema): Schema {
  if (typeof type === "string" && !("enum" in schema))
    return { type: [type, "null"], ...schema, description };
  return { oneOf: [type === undefined ? schema : { type, ...schema }, { type: "null" }], description };
}
