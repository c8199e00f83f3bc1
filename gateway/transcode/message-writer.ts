import { getOption, ScalarType, type DescField, type DescMessage, type Message } from "@bufbuild/protobuf";
import { decimalText } from "../../contract/decimal.ts";
import { field as fieldRules } from "../../gen/paylink/options/v1/options_pb.ts";
import { enumWords } from "../../contract/enum-words.ts";
import { textOf } from "../../contract/json-text.ts";
import { answeredName, jsonField, publicFields } from "../../contract/public-fields.ts";
import { sharedText } from "../../contract/shared-message.ts";
import { rawJson, rawNumber } from "./raw-number.ts";

/**
 * Converts a value to one that JSON.stringify writes in the contract's form; undefined: no conversion is needed. For a
 * JSON text, it returns the mark and appends the text to `texts`.
 */
type ToPlain = ((value: unknown, texts: string[]) => unknown) | undefined;
type Plain = Record<string, unknown>;
type PutMembers = (message: object, target: Plain, texts: string[]) => Plain;

// JSON.stringify writes a backslash as two and a slash as itself, so no other value is or contains this.
const MARK_TEXT = String.raw`"\/"`;
const MARK = rawJson(MARK_TEXT);

const utf8 = new TextDecoder("utf-8", { ignoreBOM: true });

const compiled = new WeakMap<DescMessage, PutMembers>();

/**
 * Returns a compiled writer from a message to the contract's JSON: fields in the order and with the names of the .proto
 * file. It builds plain objects, which the engine writes faster than code that joins strings. The writer throws Error
 * for values that no message may hold (an integer over 2^53-1 that is no sum, an unset enum).
 */
export function messageWriter(desc: DescMessage): (message: Message) => string {
  const jsonOf = ownJson(desc);
  if (jsonOf) return jsonOf;
  const put = putMembers(desc);
  return (message) => {
    const texts: string[] = [];
    const json = JSON.stringify(put(message, {}, texts));
    return texts.length === 0 ? json : withTexts(json, texts);
  };
}

/** Returns the JSON with each mark replaced by its text. It may have megabytes, which are copied once. */
function withTexts(json: string, texts: readonly string[]): string {
  const parts = json.split(MARK_TEXT);
  return parts.flatMap((part, index) => [part, texts[index] ?? ""]).join("");
}

/**
 * Returns a function that copies a message's members into an object. It is compiled from source with every name in
 * place, so that the engine knows the object's shape. With name lookups, a page of 100 payments costs a seventh more
 * CPU in all.
 */
function putMembers(desc: DescMessage): PutMembers {
  let put = compiled.get(desc);
  if (!put) {
    const source = new Source();
    const shown = new Set(publicFields(desc));
    for (const member of desc.members) {
      if (member.kind === "oneof") source.addOneof(member.localName, member.fields);
      else if (shown.has(member)) source.addField(member);
    }
    put = source.compile();
    compiled.set(desc, put);
  }
  return put;
}

class Source {
  readonly #lines: string[] = [];
  readonly #helpers: ((value: never, ...rest: never[]) => unknown)[] = [];

  addField(field: DescField): void {
    const value = `message.${field.localName}`;
    const unset = getOption(field, fieldRules).isNullable
      ? ` else target.${answeredName(field)} = null;`
      : "";
    this.#lines.push(`if (${value} !== undefined) { ${this.#put(field, value)} }${unset}`);
  }

  addOneof(localName: string, fields: readonly DescField[]): void {
    for (const field of fields) {
      const chosen = `message.${localName}.case === ${JSON.stringify(field.localName)}`;
      this.#lines.push(`if (${chosen}) { ${this.#put(field, `message.${localName}.value`)} }`);
    }
  }

  compile(): PutMembers {
    const body = `return (message, target, texts) => { ${this.#lines.join("\n")} return target; };`;
    // Names in the source come only from descriptors, where they are identifiers.
    // oxlint-disable-next-line typescript/no-implied-eval
    return new Function("helpers", body)(this.#helpers) as PutMembers;
  }

  #put(field: DescField, value: string): string {
    if (getOption(field, fieldRules).isInline && field.message) {
      return `${this.#helper(putMembers(field.message))}(${value}, target, texts);`;
    }
    const toPlain = plainValue(field);
    return `target.${answeredName(field)} = ${toPlain ? `${this.#helper(toPlain)}(${value}, texts)` : value};`;
  }

  #helper(helper: (value: never, ...rest: never[]) => unknown): string {
    this.#helpers.push(helper);
    return `helpers[${this.#helpers.length - 1}]`;
  }
}

function plainValue(field: DescField): ToPlain {
  switch (field.fieldKind) {
    case "scalar":
      return plainScalar(field);
    case "enum":
      return plainEnum(field.enum);
    case "message":
      return plainEmbedded(field.message);
    case "list":
      return plainList(field);
    case "map":
      throw new Error(`${field.toString()}: maps are not part of the public contract`);
  }
}

function plainList(field: DescField & { fieldKind: "list" }): ToPlain {
  const item =
    field.listKind === "enum"
      ? plainEnum(field.enum)
      : field.listKind === "scalar"
        ? plainScalar(field)
        : plainEmbedded(field.message);
  if (!item) return undefined;
  const write = field.listKind === "message" ? onceIfShared(field.message, item) : item;
  return (value, texts) => (value as readonly unknown[]).map((entry) => write(entry, texts));
}

/** Writes a message that many answers share once, and from then on as its text. */
function onceIfShared(desc: DescMessage, item: NonNullable<ToPlain>): NonNullable<ToPlain> {
  let write: ((message: Message) => string) | undefined;
  return (value, texts) => {
    const text = sharedText(value as object, () => (write ??= messageWriter(desc))(value as Message));
    return text === undefined ? item(value, texts) : marked(text, texts);
  };
}

function plainEmbedded(desc: DescMessage): ToPlain {
  switch (desc.typeName) {
    case "google.protobuf.Timestamp":
      return (value) => integer((value as { seconds: bigint }).seconds);
    case "google.protobuf.Struct":
      return plainObject;
    default: {
      const jsonOf = ownJson(desc);
      if (jsonOf) return (value, texts) => marked(jsonOf(value as Message), texts);
      const put = putMembers(desc);
      return (value, texts) => put(value as object, {}, texts);
    }
  }
}

function plainObject(value: unknown, texts: string[]): unknown {
  const text = textOf(value as object);
  return text === undefined ? value : marked(text, texts);
}

function marked(text: string, texts: string[]): unknown {
  texts.push(text);
  return MARK;
}

/** Returns what reads the JSON that a message is, or undefined if its members are written. */
function ownJson(desc: DescMessage): ((message: Message) => string) | undefined {
  const name = jsonField(desc)?.localName;
  if (name === undefined) return undefined;
  return (message) => utf8.decode((message as Message & Record<string, Uint8Array>)[name]);
}

function plainEnum(desc: Parameters<typeof enumWords>[0]): ToPlain {
  const { wordOf } = enumWords(desc);
  return (value) => {
    const word = wordOf.get(value as number);
    if (word === undefined) throw new Error(`${desc.typeName} has no word for ${String(value)}`);
    return word;
  };
}

function plainScalar(field: DescField): ToPlain {
  const { decimals, isSum } = getOption(field, fieldRules);
  switch (field.scalar) {
    case ScalarType.INT64:
      if (isSum) return (value) => wholeSum(value as bigint);
      return decimals === 0
        ? (value) => integer(value as bigint)
        : (value) => rawNumber(decimal(value as bigint, decimals));
    case ScalarType.INT32:
    case ScalarType.BOOL:
    case ScalarType.STRING:
      return undefined;
    default:
      throw new Error(`${field.toString()}: this type is not part of the public contract`);
  }
}

/** Returns the integer as a number. Beyond 2^53-1, Number() never returns a safe integer, so the check finds it. */
function integer(value: bigint): number {
  const number = Number(value);
  if (!Number.isSafeInteger(number)) throw new Error(`${value} is no integer that JSON readers hold`);
  return number;
}

/** Returns a sum with all of its digits: no bound of its amounts is one of it. */
function wholeSum(value: bigint): unknown {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : rawNumber(String(value));
}

function decimal(value: bigint, decimals: number): string {
  if (value < 0n) throw new Error(`${value}: no negative decimals are part of the public contract`);
  return decimalText(integer(value), decimals);
}
