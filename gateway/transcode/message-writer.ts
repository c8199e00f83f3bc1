import { type DescEnum, type DescField, type DescMessage, type DescOneof, getOption } from "@bufbuild/protobuf";
import { type Message, ScalarType } from "@bufbuild/protobuf";
import { FeatureSet_FieldPresence } from "@bufbuild/protobuf/wkt";
import { field as fieldRules } from "../../gen/paylink/options/v1/options_pb.ts";
import { enumWords } from "./enum-words.ts";
import { writeArray, writeDecimal, writeInteger, writeWord } from "./json-writer.ts";

/** Writes a message as the contract's JSON. Throws when a value has no JSON of its own: that is a bug of ours. */
export type WriteMessage = (message: Message) => string;

/** Whether something stands before the next member: decides its comma. */
type Before = "nothing" | "something" | "unknown";

/**
 * Compiles the writing of a message: fields in declaration order under their proto names. Straight-line code is
 * generated, because a walk over the descriptor takes half as long again on a page of payments. All of its
 * text comes from descriptors. Throws when a field's type has no JSON rule.
 */
export function compileMessageWriter(desc: DescMessage): WriteMessage {
  const source = new WriterSource();
  const members = source.membersFunction(desc);
  const code = `"use strict";\n${source.text()}\nreturn (m) => "{" + ${members}(m) + "}";`;
  const compile = new Function("json", "integer", "decimal", "array", "word", "words", code);
  return compile(JSON.stringify, writeInteger, writeDecimal, writeArray, writeWord, source.words);
}

/** Collects one function per message type: it answers the message's members, without braces. */
class WriterSource {
  /** Quoted words of each enum met, by value. */
  readonly words: string[][] = [];
  private readonly functions: string[] = [];
  private readonly namesByMessage = new Map<DescMessage, string>();
  private readonly endsByMessage = new Map<DescMessage, Before>();

  text(): string {
    return this.functions.join("\n");
  }

  membersFunction(desc: DescMessage): string {
    const known = this.namesByMessage.get(desc);
    if (known !== undefined) return known;
    const name = `members${this.namesByMessage.size}`;
    this.namesByMessage.set(desc, name);
    let before: Before = "nothing";
    let body = "";
    for (const member of desc.members) {
      const written = member.kind === "oneof" ? this.oneof(member, before) : this.field(member, before);
      body += `  ${written.code}\n`;
      before = written.after;
    }
    this.endsByMessage.set(desc, before);
    this.functions.push(`function ${name}(m) {\n  let s = "", v;\n${body}  return s;\n}`);
    return name;
  }

  private oneof(oneof: DescOneof, before: Before): { code: string; after: Before } {
    const cases = oneof.fields.map((field) => {
      const code = this.present(field, before);
      return `case ${JSON.stringify(field.localName)}: ${code} break;`;
    });
    const group = `m[${JSON.stringify(oneof.localName)}]`;
    const code = `v = ${group}.value; switch (${group}.case) { ${cases.join(" ")} }`;
    return { code, after: before === "something" ? before : "unknown" };
  }

  private field(field: DescField, before: Before): { code: string; after: Before } {
    const load = `v = m[${JSON.stringify(field.localName)}];`;
    const present = this.present(field, before);
    if (!canBeUnset(field)) return { code: `${load} ${present}`, after: "something" };
    const rules = getOption(field, fieldRules);
    if (rules.isNullable) {
      const absent = `s += ${label(field, before)} + "null";`;
      return { code: `${load} if (v === undefined) ${absent} else { ${present} }`, after: "something" };
    }
    return {
      code: `${load} if (v !== undefined) { ${present} }`,
      after: before === "something" ? before : "unknown",
    };
  }

  /** Code that adds the member whose value is in v. */
  private present(field: DescField, before: Before): string {
    if (!getOption(field, fieldRules).isInline) return `s += ${label(field, before)} + ${this.value(field)};`;
    if (field.fieldKind !== "message") throw unsupported(field);
    return `s += ${this.inlined(field.message, before)};`;
  }

  private inlined(desc: DescMessage, before: Before): string {
    const members = `${this.membersFunction(desc)}(v)`;
    if (this.endsByMessage.get(desc) !== "something") {
      throw new Error(`${desc.typeName} is written in place, but may have no member at all`);
    }
    return `${comma(before)} + ${members}`;
  }

  private value(field: DescField): string {
    switch (field.fieldKind) {
      case "scalar":
        return this.scalar(field, field.scalar);
      case "enum":
        return this.enum(field.enum);
      case "message":
        return this.message(field, field.message);
      case "list":
        return `array(v, (v) => ${this.item(field)})`;
      case "map":
        throw unsupported(field);
    }
  }

  private item(field: DescField & { fieldKind: "list" }): string {
    switch (field.listKind) {
      case "scalar":
        return this.scalar(field, field.scalar);
      case "enum":
        return this.enum(field.enum);
      case "message":
        return this.message(field, field.message);
    }
  }

  private scalar(field: DescField, scalar: ScalarType): string {
    const { decimals } = getOption(field, fieldRules);
    switch (scalar) {
      case ScalarType.STRING:
        return "json(v)";
      case ScalarType.BOOL:
        return '(v ? "true" : "false")';
      case ScalarType.INT32:
        return "json(v)";
      case ScalarType.INT64:
        return decimals > 0 ? `decimal(v, ${decimals})` : "integer(v)";
      default:
        throw unsupported(field);
    }
  }

  private enum(desc: DescEnum): string {
    const words: string[] = [];
    for (const [word, value] of enumWords(desc)) words[value] = JSON.stringify(word);
    return `word(words[${this.words.push(words) - 1}], v)`;
  }

  private message(field: DescField, desc: DescMessage): string {
    if (desc.typeName === "google.protobuf.Timestamp") return "integer(v.seconds)";
    if (desc.typeName === "google.protobuf.Struct") return "json(v)";
    if (desc.typeName.startsWith("google.protobuf.")) throw unsupported(field);
    if (!getOption(field, fieldRules).isList) return `"{" + ${this.membersFunction(desc)}(v) + "}"`;
    const [values] = desc.fields;
    if (values?.fieldKind !== "list") throw unsupported(field);
    return `array(v[${JSON.stringify(values.localName)}], (v) => ${this.item(values)})`;
  }
}

function canBeUnset(field: DescField): boolean {
  return field.fieldKind !== "list" && field.presence !== FeatureSet_FieldPresence.IMPLICIT;
}

function label(field: DescField, before: Before): string {
  const name = `${JSON.stringify(field.name)}:`;
  if (before === "unknown") return `${comma(before)} + ${JSON.stringify(name)}`;
  return JSON.stringify(before === "something" ? `,${name}` : name);
}

function comma(before: Before): string {
  if (before === "unknown") return '(s === "" ? "" : ",")';
  return before === "something" ? '","' : '""';
}

function unsupported(field: DescField): Error {
  return new Error(`${field.parent.typeName}.${field.name} is of a type without a JSON rule for responses`);
}
