import { invalidRequest, type PublicError } from "./errors.ts";

/** A number as text. The reader of the field decides by the field's type what it may be. */
export class NumberToken {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

export type Json = null | boolean | string | NumberToken | Json[] | JsonMap;
/** An object's members in the order of the text. A Map, so that no key has a special meaning. */
export type JsonMap = Map<string, Json>;

const DEPTH_MAX = 32;
// A larger body is a picture in base64 and little else: small parts and escapes in it would take seconds to read.
const UNCOUNTED_BYTES = 64 * 1024;
const LARGE_PARTS_MAX = 64;
// An intent's two free objects have 2000 each, which the core counts, and there are a few fields.
const PARTS_MAX = 4100;
// Twice what encoders that escape both + and / make of a picture of 3 MiB.
const ESCAPES_MAX = 256 * 1024;
const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
// Everything that a string may hold unescaped. A quote, a backslash or a refused character ends the run.
// oxlint-disable-next-line no-control-regex
const PLAIN_RUN = /[^"\\\u0000-\u001f]*/y;
const ESCAPES: Readonly<Record<string, string>> = {
  '"': '"',
  "\\": "\\",
  "/": "/",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
};

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/**
 * Reads one JSON text (RFC 8259) strictly: valid UTF-8 without a byte order mark, no duplicate keys, no NUL and no lone
 * surrogate in a string, nesting of at most 32, at most 4100 members and elements, nothing after the value; of more than
 * 64 KiB, at most 64 members and elements, and 262,144 escapes. Error: invalid_request, on the outermost member if the text is valid JSON that is refused.
 */
export function readJson(bytes: Uint8Array): Json {
  let text: string;
  try {
    text = decoder.decode(bytes);
  } catch {
    throw invalidRequest(null, "The body is not valid UTF-8.");
  }
  const reader = new Reader(text, bytes.length > UNCOUNTED_BYTES);
  return reader.readAll();
}

class Reader {
  readonly #text: string;
  #at = 0;
  // The current member of the outermost object, for errors in valid JSON.
  #member: string | null = null;
  readonly #isLarge: boolean;
  #partsLeft: number;
  #escapesLeft: number;

  constructor(text: string, isLarge: boolean) {
    this.#text = text;
    this.#isLarge = isLarge;
    this.#partsLeft = isLarge ? LARGE_PARTS_MAX : PARTS_MAX;
    this.#escapesLeft = isLarge ? ESCAPES_MAX : Infinity;
  }

  readAll(): Json {
    const value = this.#value(0);
    this.#skipSpace();
    if (this.#at < this.#text.length) throw this.#syntaxFault("There is something after the JSON value");
    return value;
  }

  #value(depth: number): Json {
    this.#skipSpace();
    switch (this.#text[this.#at]) {
      case "{":
        return this.#object(depth + 1);
      case "[":
        return this.#array(depth + 1);
      case '"':
        return this.#string();
      case "t":
        return this.#word("true", true);
      case "f":
        return this.#word("false", false);
      case "n":
        return this.#word("null", null);
      case undefined:
        throw this.#syntaxFault("The body ends too early or is empty");
      default:
        return this.#number();
    }
  }

  #object(depth: number): JsonMap {
    this.#enter(depth);
    const members: JsonMap = new Map();
    if (this.#closes("}")) return members;
    for (;;) {
      this.#countPart();
      this.#skipSpace();
      if (this.#text[this.#at] !== '"') throw this.#syntaxFault("An object's key is missing");
      const key = this.#string();
      if (depth === 1) this.#member = key;
      if (members.has(key)) throw this.#refusal("An object has a key twice.");
      this.#expect(":");
      members.set(key, this.#value(depth));
      if (this.#closes("}")) return members;
      this.#expect(",");
    }
  }

  #array(depth: number): Json[] {
    this.#enter(depth);
    const items: Json[] = [];
    if (this.#closes("]")) return items;
    for (;;) {
      this.#countPart();
      items.push(this.#value(depth));
      if (this.#closes("]")) return items;
      this.#expect(",");
    }
  }

  #enter(depth: number): void {
    if (depth > DEPTH_MAX) throw this.#refusal(`The body is nested more than ${DEPTH_MAX} deep.`);
    this.#at++;
  }

  #countPart(): void {
    if (--this.#partsLeft >= 0) return;
    const what = this.#isLarge
      ? `A body of more than 64 KiB has at most ${LARGE_PARTS_MAX}`
      : `A body has at most ${PARTS_MAX}`;
    throw this.#refusal(`${what} members and elements.`);
  }

  #string(): string {
    this.#at++;
    let value = "";
    for (;;) {
      const start = this.#at;
      PLAIN_RUN.lastIndex = start;
      PLAIN_RUN.test(this.#text);
      this.#at = PLAIN_RUN.lastIndex;
      value += this.#text.slice(start, this.#at);
      const end = this.#text[this.#at++];
      if (end === '"') break;
      if (end !== "\\") throw this.#syntaxFault("A string is not closed or holds a control character", 1);
      value += this.#escape();
    }
    if (value.includes("\0")) throw this.#refusal("A string holds a NUL character.");
    if (!value.isWellFormed()) throw this.#refusal("A string holds a lone surrogate.");
    return value;
  }

  #escape(): string {
    if (--this.#escapesLeft < 0) {
      throw this.#refusal(`A body of more than 64 KiB has at most ${ESCAPES_MAX} escapes.`);
    }
    const letter = this.#text[this.#at++] ?? "";
    if (letter !== "u") {
      const meant = Object.hasOwn(ESCAPES, letter) ? ESCAPES[letter] : undefined;
      if (meant === undefined) throw this.#syntaxFault("A string holds an unknown escape", 2);
      return meant;
    }
    const digits = this.#text.slice(this.#at, this.#at + 4);
    if (!/^[0-9a-fA-F]{4}$/.test(digits)) throw this.#syntaxFault("A string holds an unknown escape", 2);
    this.#at += 4;
    return String.fromCharCode(Number.parseInt(digits, 16));
  }

  #number(): NumberToken {
    NUMBER.lastIndex = this.#at;
    const text = NUMBER.exec(this.#text)?.[0];
    if (text === undefined) throw this.#syntaxFault("The body is not valid JSON");
    this.#at += text.length;
    return new NumberToken(text);
  }

  #word<Value>(word: string, value: Value): Value {
    if (!this.#text.startsWith(word, this.#at)) throw this.#syntaxFault("The body is not valid JSON");
    this.#at += word.length;
    return value;
  }

  #closes(bracket: string): boolean {
    this.#skipSpace();
    if (this.#text[this.#at] !== bracket) return false;
    this.#at++;
    return true;
  }

  #expect(mark: string): void {
    this.#skipSpace();
    if (this.#text[this.#at] !== mark) throw this.#syntaxFault("The body is not valid JSON");
    this.#at++;
  }

  #skipSpace(): void {
    for (;;) {
      const code = this.#text.charCodeAt(this.#at);
      if (code !== 32 && code !== 10 && code !== 13 && code !== 9) return;
      this.#at++;
    }
  }

  #refusal(message: string): PublicError {
    return invalidRequest(this.#member, message);
  }

  /**
   * Returns the error for a text that is no JSON, and so has no fields to name. It says where, from 1 on, with columns as
   * editors count them, in UTF-16 units. `back` is how many characters were read since.
   */
  #syntaxFault(message: string, back = 0): PublicError {
    const before = this.#text.slice(0, this.#at - back);
    const lines = before.split("\n");
    return invalidRequest(
      null,
      `${message} at line ${lines.length}, column ${(lines.at(-1) ?? "").length + 1}.`,
    );
  }
}
