import {
  create,
  getOption,
  ScalarType,
  type DescEnum,
  type DescField,
  type DescMessage,
  type JsonObject,
  type JsonValue,
  type Message,
} from "@bufbuild/protobuf";
import type { Timestamp } from "@bufbuild/protobuf/wkt";
import { field as fieldRules } from "../../gen/paylink/options/v1/options_pb.ts";
import { enumWords } from "../../contract/enum-words.ts";
import { publicFields } from "../../contract/public-fields.ts";
import { choiceWords, ruleWords } from "../../contract/rule-words.ts";
import { invalidRequest, type PublicError } from "./errors.ts";
import { exactNumber } from "./exact-number.ts";
import { secondsToTime } from "./unix-time.ts";
import { NumberToken, type Json, type JsonMap } from "./json-reader.ts";
import { unknownParameter } from "./unknown-parameter.ts";

/** Reads one JSON value as a field's value. `param` is the top-level field, for errors. */
type ReadValue = (value: Json, param: string) => unknown;

type Mutable = Record<string, unknown>;

const INTEGER = /^(?:0|-?[1-9][0-9]*)$/;

/**
 * Returns a compiled reader from a request body to a message. Fields in `bound` come from elsewhere and are unknown in
 * the body. A field takes its own JSON type alone, and no field takes null. Errors: unknown_parameter with the key,
 * invalid_request with the top-level field.
 */
export function compileMessageReader(desc: DescMessage, bound: ReadonlySet<string>): (body: Json) => Message {
  const readMembers = compileMembers(desc, bound);
  return (body) => {
    if (!(body instanceof Map)) throw invalidRequest(null, "The body must be a JSON object.");
    const message = create(desc);
    readMembers(body, message, undefined);
    return message;
  };
}

function compileMembers(
  desc: DescMessage,
  bound: ReadonlySet<string>,
): (members: JsonMap, message: Mutable, outerParam: string | undefined) => void {
  const readers = new Map<string, { localName: string; read: ReadValue }>();
  for (const field of publicFields(desc)) {
    if (!bound.has(field.name))
      readers.set(field.name, { localName: field.localName, read: compileField(field) });
  }
  return (members, message, outerParam) => {
    // Checked first: another fault must not hide an unknown key.
    for (const key of members.keys()) {
      if (!readers.has(key)) throw unknownParameter(key, readers.keys());
    }
    for (const [key, value] of members) {
      const reader = readers.get(key);
      if (reader) message[reader.localName] = reader.read(value, outerParam ?? key);
    }
  };
}

function compileField(field: DescField): ReadValue {
  switch (field.fieldKind) {
    case "scalar":
      return scalarReader(field, field.scalar);
    case "enum":
      return enumReader(field, field.enum);
    case "list":
      return listReader(field);
    case "message":
      if (field.message.typeName === "google.protobuf.Struct") return readStruct;
      if (field.message.typeName === "google.protobuf.Timestamp") return readTime;
      if (getOption(field, fieldRules).isList) return wrappedListReader(field.message);
      return nestedReader(field.message);
    case "map":
      throw new Error(`${field.toString()}: maps are not part of the public contract`);
  }
}

function nestedReader(desc: DescMessage): ReadValue {
  const readMembers = compileMembers(desc, new Set());
  return (value, param) => {
    if (!(value instanceof Map)) throw wrongType(param, "an object");
    const message = create(desc);
    readMembers(value, message, param);
    return message;
  };
}

function wrappedListReader(desc: DescMessage): ReadValue {
  const [only] = desc.fields;
  if (only?.fieldKind !== "list" || desc.fields.length !== 1) {
    throw new Error(`${desc.typeName} must have one repeated field`);
  }
  const read = listReader(only);
  return (value, param) => create(desc, { [only.localName]: read(value, param) });
}

function listReader(field: DescField & { fieldKind: "list" }): ReadValue {
  const readItem =
    field.listKind === "enum"
      ? enumReader(field, field.enum)
      : field.listKind === "scalar"
        ? scalarReader(field, field.scalar)
        : nestedReader(field.message);
  return (value, param) => {
    if (!Array.isArray(value)) throw wrongType(param, "an array");
    return value.map((item) => readItem(item, param));
  };
}

function enumReader(field: DescField, desc: DescEnum): ReadValue {
  const { numberOf } = enumWords(desc);
  const words = choiceWords(field);
  return (value, param) => {
    const number = typeof value === "string" ? numberOf.get(value) : undefined;
    if (number === undefined) throw invalidRequest(param, `${param} ${words}.`);
    return number;
  };
}

function scalarReader(field: DescField, scalar: ScalarType): ReadValue {
  const inRange = ruleWords(field, "range") ?? "is out of range";
  const isEntry = field.fieldKind === "list";
  switch (scalar) {
    case ScalarType.STRING:
      return (value, param) => {
        if (typeof value !== "string") throw wrongType(param, isEntry ? "a list of strings" : "a string");
        return value;
      };
    case ScalarType.BOOL:
      return (value, param) => {
        if (typeof value !== "boolean") throw wrongType(param, "true or false");
        return value;
      };
    case ScalarType.INT32:
      return (value, param) => {
        const number = readInteger(value, param, inRange);
        if (number !== (number | 0)) throw invalidRequest(param, `${param} ${inRange}.`);
        return number;
      };
    case ScalarType.INT64:
      return (value, param) => BigInt(readInteger(value, param, inRange));
    case ScalarType.BYTES:
      return readBytes;
    default:
      throw new Error(`scalar type ${ScalarType[scalar]} is not part of the public contract`);
  }
}

/** Returns an integer without fraction or exponent that a double holds exactly. */
function readInteger(value: Json, param: string, inRange: string): number {
  if (!(value instanceof NumberToken) || !INTEGER.test(value.text)) throw wrongType(param, "an integer");
  const number = Number(value.text);
  if (!Number.isSafeInteger(number)) throw invalidRequest(param, `${param} ${inRange}.`);
  return number;
}

/** Returns the instant of a Unix time in seconds. */
function readTime(value: Json, param: string): Timestamp {
  return secondsToTime(readInteger(value, param, "is out of range"), param);
}

/** Returns the bytes of a base64 text (RFC 4648, section 4), padded. */
function readBytes(value: Json, param: string): Uint8Array {
  const bytes = typeof value === "string" && value.length % 4 === 0 ? decoded(value) : undefined;
  if (!bytes) throw wrongType(param, "base64");
  return bytes;
}

/** Returns undefined for other characters. The engine looks at each: a pattern takes ten times as long, 30 ms for a picture. */
function decoded(text: string): Uint8Array | undefined {
  const padding = text.endsWith("==") ? 2 : text.endsWith("=") ? 1 : 0;
  try {
    const bytes = Uint8Array.fromBase64(text);
    // It skips white space.
    return bytes.length === (text.length / 4) * 3 - padding ? bytes : undefined;
  } catch {
    return undefined;
  }
}

function readStruct(value: Json, param: string): JsonObject {
  if (!(value instanceof Map)) throw wrongType(param, "an object");
  return freeObject(value, param);
}

function freeObject(members: JsonMap, param: string): JsonObject {
  const object: JsonObject = {};
  for (const [key, value] of members) {
    // A protobuf Struct silently drops this key.
    if (key === "__proto__") throw invalidRequest(param, `${param} must not have the key __proto__.`);
    object[key] = freeValue(value, param);
  }
  return object;
}

function freeValue(value: Json, param: string): JsonValue {
  if (value instanceof Map) return freeObject(value, param);
  if (Array.isArray(value)) return value.map((item) => freeValue(item, param));
  return value instanceof NumberToken ? freeNumber(value.text, param) : value;
}

/** Returns a number that keeps its written value. */
function freeNumber(text: string, param: string): number {
  const number = exactNumber(text);
  if (number === undefined) {
    const message = `${param} holds a number that cannot be kept exactly: write it as a string.`;
    throw invalidRequest(param, message);
  }
  return number;
}

function wrongType(param: string, wanted: string): PublicError {
  return invalidRequest(param, `${param} must be ${wanted}.`);
}
