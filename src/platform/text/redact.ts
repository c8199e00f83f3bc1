import { clone, getOption, ScalarType, toJson, type DescField, type DescMessage } from "@bufbuild/protobuf";
import type { JsonObject, MessageShape } from "@bufbuild/protobuf";
import { isReflectMessage, reflect, type ReflectMessage } from "@bufbuild/protobuf/reflect";
import { field as fieldRules } from "../../../gen/paylink/options/v1/options_pb.ts";

/** Returns the message as JSON with the names of its .proto, without bytes and fields marked `is_secret`. */
export function redactedJson<Desc extends DescMessage>(desc: Desc, message: MessageShape<Desc>): JsonObject {
  const copy = clone(desc, message);
  redact(reflect(desc, copy));
  return storable(toJson(desc, copy, { useProtoFieldName: true })) as JsonObject;
}

function redact(message: ReflectMessage): void {
  for (const field of message.fields) {
    if (!message.isSet(field)) continue;
    if (isHidden(field)) message.clear(field);
    else for (const part of partsOf(message, field)) if (isReflectMessage(part)) redact(part);
  }
}

function partsOf(message: ReflectMessage, field: DescField): Iterable<unknown> {
  if (field.fieldKind === "message") return [message.get(field)];
  if (field.fieldKind === "list") return message.get(field);
  return field.fieldKind === "map" ? message.get(field).values() : [];
}

function isHidden(field: DescField): boolean {
  return field.scalar === ScalarType.BYTES || getOption(field, fieldRules).isSecret;
}

/** Replaces NUL, the only character that the database cannot store. */
function storable(value: unknown): unknown {
  if (typeof value === "string") return value.replaceAll("\u0000", "\ufffd");
  if (Array.isArray(value)) return value.map(storable);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [String(storable(key)), storable(inner)]),
  );
}
