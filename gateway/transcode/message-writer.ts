import { getOption, ScalarType, type DescField, type DescMessage, type Message } from "@bufbuild/protobuf";
import { field as fieldRules } from "../../gen/paylink/options/v1/options_pb.ts";
import { enumWords } from "./enum-words.ts";

/** Writes a value as JSON text. */
type WriteValue = (value: unknown) => string;
type Fields = Readonly<Record<string, unknown>>;

const compiled = new WeakMap<DescMessage, (message: Message) => string>();
const SAFE_MAX = BigInt(Number.MAX_SAFE_INTEGER);

/**
 * The contract's JSON of a message, compiled once per message type: fields in the order of the .proto file under
 * their names there. Throws Error on what no message of ours may hold (an integer over 2^53-1, an unset enum).
 */
export function messageWriter(desc: DescMessage): (message: Message) => string {
  let write = compiled.get(desc);
  if (!write) {
    const members = compileMembers(desc);
    write = (message) => `{${members(message)}}`;
    compiled.set(desc, write);
  }
  return write;
}

/** The members of a message without the braces around them. */
function compileMembers(desc: DescMessage): (message: Fields) => string {
  const writers = desc.members.map((member) =>
    member.kind === "oneof" ? oneofMember(member.localName, member.fields) : fieldMember(member),
  );
  return (message) => {
    let text = "";
    for (const write of writers) {
      const member = write(message);
      if (member !== "") text += text === "" ? member : `,${member}`;
    }
    return text;
  };
}

function oneofMember(localName: string, fields: readonly DescField[]): (message: Fields) => string {
  const writers = new Map(fields.map((field) => [field.localName, memberText(field)]));
  return (message) => {
    const chosen = message[localName] as { case?: string; value?: unknown };
    const write = chosen.case === undefined ? undefined : writers.get(chosen.case);
    return write ? write(chosen.value) : "";
  };
}

function fieldMember(field: DescField): (message: Fields) => string {
  const { localName, name } = field;
  const write = memberText(field);
  const unset = getOption(field, fieldRules).isNullable ? `"${name}":null` : "";
  return (message) => {
    const value = message[localName];
    return value === undefined ? unset : write(value);
  };
}

function memberText(field: DescField): WriteValue {
  if (getOption(field, fieldRules).isInline && field.message) {
    const desc = field.message;
    let members: ((message: Fields) => string) | undefined;
    return (value) => (members ??= compileMembers(desc))(value as Fields);
  }
  const write = valueWriter(field);
  const key = `"${field.name}":`;
  return (value) => key + write(value);
}

function valueWriter(field: DescField): WriteValue {
  switch (field.fieldKind) {
    case "scalar":
      return scalarWriter(field);
    case "enum":
      return enumWriter(field.enum);
    case "message":
      return embeddedWriter(field.message);
    case "list":
      return listWriter(field);
    case "map":
      throw new Error(`${field.toString()}: maps are not part of the public contract`);
  }
}

function listWriter(field: DescField & { fieldKind: "list" }): WriteValue {
  const item =
    field.listKind === "enum"
      ? enumWriter(field.enum)
      : field.listKind === "scalar"
        ? scalarWriter(field)
        : embeddedWriter(field.message);
  return (value) => {
    let text = "[";
    for (const [index, entry] of (value as readonly unknown[]).entries()) {
      text += index === 0 ? item(entry) : `,${item(entry)}`;
    }
    return `${text}]`;
  };
}

function embeddedWriter(desc: DescMessage): WriteValue {
  switch (desc.typeName) {
    case "google.protobuf.Timestamp":
      return (value) => integer((value as { seconds: bigint }).seconds);
    case "google.protobuf.Struct":
      return (value) => JSON.stringify(value);
    default: {
      let write: ((message: Message) => string) | undefined;
      return (value) => (write ??= messageWriter(desc))(value as Message);
    }
  }
}

function enumWriter(desc: Parameters<typeof enumWords>[0]): WriteValue {
  const texts = new Map([...enumWords(desc).wordOf].map(([number, word]) => [number, JSON.stringify(word)]));
  return (value) => {
    const text = texts.get(value as number);
    if (text === undefined) throw new Error(`${desc.typeName} has no word for ${String(value)}`);
    return text;
  };
}

function scalarWriter(field: DescField): WriteValue {
  const { decimals } = getOption(field, fieldRules);
  switch (field.scalar) {
    case ScalarType.INT64:
      return decimals === 0
        ? (value) => integer(value as bigint)
        : (value) => decimal(value as bigint, decimals);
    case ScalarType.INT32:
    case ScalarType.BOOL:
      return String;
    case ScalarType.STRING:
      return (value) => JSON.stringify(value);
    default:
      throw new Error(`${field.toString()}: this type is not part of the public contract`);
  }
}

function integer(value: bigint): string {
  if (value > SAFE_MAX || value < -SAFE_MAX) throw new Error(`${value} is no integer that JSON readers hold`);
  return String(value);
}

function decimal(value: bigint, decimals: number): string {
  if (value < 0n) throw new Error(`${value}: no negative decimals are part of the public contract`);
  const digits = integer(value).padStart(decimals + 1, "0");
  return `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
}
