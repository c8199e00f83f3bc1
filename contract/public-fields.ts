import { getOption, type DescField, type DescMessage } from "@bufbuild/protobuf";
import { field as fieldRules } from "../gen/paylink/options/v1/options_pb.ts";

/** Returns the fields of a message that are in the public JSON. */
export function publicFields(desc: DescMessage): DescField[] {
  return desc.fields.filter((field) => !getOption(field, fieldRules).isInternal);
}

/** Returns the members of an answer's object: the fields of inline messages are in place of these. */
export function answeredFields(desc: DescMessage): DescField[] {
  return publicFields(desc).flatMap((field) => {
    const isInline = field.message && field.oneof === undefined && getOption(field, fieldRules).isInline;
    return isInline ? answeredFields(field.message) : [field];
  });
}

/** Returns the field's name in answers. */
export function answeredName(field: DescField): string {
  return getOption(field, fieldRules).name || field.name;
}

/** Returns the field whose bytes are the JSON of the whole message, or undefined if it has none. */
export function jsonField(desc: DescMessage): DescField | undefined {
  return desc.fields.find((field) => getOption(field, fieldRules).jsonOf !== "");
}

/** Returns the message that a message's bytes are the JSON of. */
export function jsonMessage(desc: DescMessage): DescMessage | undefined {
  const field = jsonField(desc);
  const name = field && getOption(field, fieldRules).jsonOf;
  return desc.file.messages.find(({ typeName }) => typeName === name);
}
