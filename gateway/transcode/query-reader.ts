import { create, ScalarType, type DescField, type DescMessage, type Message } from "@bufbuild/protobuf";
import { enumWords } from "../../contract/enum-words.ts";
import { publicFields } from "../../contract/public-fields.ts";
import { choiceWords } from "../../contract/rule-words.ts";
import { invalidRequest } from "./errors.ts";
import { secondsToTime } from "./unix-time.ts";
import { unknownParameter } from "./unknown-parameter.ts";

const INTEGER = /^(?:0|-?[1-9][0-9]*)$/;

/**
 * Returns a compiled reader from a query string to a message. Fields in `bound` come from the path and are unknown
 * here. Errors: unknown_parameter, invalid_request, both with the parameter's name.
 */
export function compileQueryReader(
  desc: DescMessage,
  bound: ReadonlySet<string>,
): (query: string) => Message {
  const fields = new Map(
    publicFields(desc)
      .filter(({ name }) => !bound.has(name))
      .map((field) => [field.name, field]),
  );
  return (query) => {
    const message = create(desc);
    const values = message as unknown as Record<string, unknown>;
    for (const [name, text] of parseQuery(query)) {
      const field = fields.get(name);
      if (!field) throw unknownParameter(name, fields.keys());
      values[field.localName] = readText(field, text);
    }
    return message;
  };
}

/** Refuses any parameter, for requests that take none. Error: unknown_parameter. */
export function refuseQuery(query: string): void {
  for (const [name] of parseQuery(query)) {
    throw unknownParameter(name, []);
  }
}

function parseQuery(query: string): Map<string, string> {
  const parameters = new Map<string, string>();
  for (const pair of query.split("&")) {
    if (pair === "") continue;
    const equals = pair.indexOf("=");
    const name = decode(equals < 0 ? pair : pair.slice(0, equals));
    if (parameters.has(name)) throw invalidRequest(name, `${name} is given twice in the query.`);
    parameters.set(name, equals < 0 ? "" : decode(pair.slice(equals + 1)));
  }
  return parameters;
}

function decode(text: string): string {
  let decoded: string;
  try {
    decoded = decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    throw invalidRequest(null, "The query holds a bad percent escape.");
  }
  if (decoded.includes("\0")) throw invalidRequest(null, "The query holds a NUL character.");
  return decoded;
}

function readText(field: DescField, text: string): unknown {
  if (field.fieldKind === "scalar" && field.scalar === ScalarType.STRING) return text;
  if (field.fieldKind === "enum") {
    const number = enumWords(field.enum).numberOf.get(text);
    if (number === undefined) throw invalidRequest(field.name, `${field.name} ${choiceWords(field)}.`);
    return number;
  }
  if (field.message?.typeName === "google.protobuf.Timestamp") {
    return secondsToTime(readInteger(field, text, Number.isSafeInteger), field.name);
  }
  if (field.fieldKind !== "scalar" || field.scalar !== ScalarType.INT32) {
    throw new Error(`${field.toString()}: this type is not part of the public contract's queries`);
  }
  return readInteger(field, text, (number) => number === (number | 0));
}

function readInteger(field: DescField, text: string, fits: (number: number) => boolean): number {
  const number = Number(text);
  if (INTEGER.test(text) && fits(number)) return number;
  throw invalidRequest(field.name, `${field.name} must be an integer.`);
}
