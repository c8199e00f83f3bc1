import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { PublicError } from "../../../gateway/transcode/errors.ts";
import { NumberToken, readJson, type Json } from "../../../gateway/transcode/json-reader.ts";

const read = (text: string): Json => readJson(new TextEncoder().encode(text));

/** What JSON.parse would make of the same text. */
function plain(value: Json): unknown {
  if (value instanceof NumberToken) return Number(value.text);
  if (Array.isArray(value)) return value.map(plain);
  if (!(value instanceof Map)) return value;
  // An object without prototype, so that the key __proto__ is one like others.
  const object = Object.create(null) as Record<string, unknown>;
  for (const [key, member] of value) object[key] = plain(member);
  return object;
}

function attempt(run: () => Json): Json | PublicError {
  try {
    return run();
  } catch (error) {
    if (error instanceof PublicError) return error;
    throw error;
  }
}

function refusal(run: () => Json): PublicError {
  const result = attempt(run);
  if (result instanceof PublicError) return result;
  throw new Error("it was read");
}

describe("values", () => {
  const texts: [string, unknown][] = [
    ["null", null],
    ["true", true],
    ["false", false],
    ['""', ""],
    ['"a\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\uD83D\\uDE00"', 'a"\\/\b\f\n\r\té😀'],
    ['"é😀\u2028\u007f"', "é😀\u2028\u007f"],
    [' \t\r\n[ 1 , "a" ] \n', [1, "a"]],
    ["[]", []],
    ['{ "a" : 1 , "b" : 2 }', { a: 1, b: 2 }],
    ['{"a":{"b":[]},"c":{}}', { a: { b: [] }, c: {} }],
  ];
  test.each(texts)("%s", (text, value) => {
    expect(plain(read(text))).toEqual(value);
  });

  const numbers = ["0", "-0", "1", "-1", "1.0", "1e2", "1E+2", "1.5e-7", "9007199254740993", "1e400"];
  test.each(numbers)("the number %s is kept as it was written", (text) => {
    expect(read(text)).toEqual(new NumberToken(text));
  });

  test("members keep the order of the text, keys that look like numbers too", () => {
    const members = read('{"b":1,"2":2,"a":3,"1":4,"__proto__":5,"constructor":6,"":7}');
    expect([...(members as Map<string, Json>).keys()]).toEqual([
      "b",
      "2",
      "a",
      "1",
      "__proto__",
      "constructor",
      "",
    ]);
  });

  test("nesting of 32, of arrays, objects and both", () => {
    for (const [open, close] of [
      ["[", "]"],
      ['{"a":', "}"],
    ] as const) {
      const inner = open === "[" ? "" : "1";
      expect(() => read(open.repeat(32) + inner + close.repeat(32))).not.toThrow();
      expect(refusal(() => read(open.repeat(33) + inner + close.repeat(33))).code).toBe("invalid_request");
    }
    expect(() => read(`${'[{"a":'.repeat(16)}1${"}]".repeat(16)}`)).not.toThrow();
    expect(() => read(`[${'[{"a":'.repeat(16)}1${"}]".repeat(16)}]`)).toThrow(PublicError);
  });
});

describe("what is refused: invalid_request with the top-level member that it lies in", () => {
  const texts: [string, string | null][] = [
    ["", null],
    [" ", null],
    ["nul", null],
    ["True", null],
    ["nullx", null],
    ["undefined", null],
    ["NaN", null],
    ["Infinity", null],
    ["-", null],
    ["+1", null],
    ["01", null],
    ["1.", null],
    [".5", null],
    ["1e", null],
    ["0x1", null],
    ["1_0", null],
    ["1 2", null],
    ["[", null],
    ["]", null],
    ["[1", null],
    ["[1,]", null],
    ["[,1]", null],
    ["[1 2]", null],
    ["{", null],
    ["{a:1}", null],
    ['{a":1}', null],
    ['{"a"x1}', null],
    ["[1x2]", null],
    ["{'a':1}", null],
    ['{"a"}', null],
    ['{"a":}', null],
    ['{"a":1,}', null],
    ['{"a":1 "b":2}', null],
    ['{"a":1,"b":tru}', null],
    ['{"a":"\\x"}', null],
    ['{"a":"x', null],
    ['{"a":1,"a":1}', "a"],
    ['{"a":{"b":1,"b":2},"c":1}', "a"],
    ['{"a":[{"b":1,"\\u0062":2}]}', "a"],
    ['{"__proto__":1,"__proto__":2}', "__proto__"],
    ['{"a":1}}', null],
    ['{"a":1}\u00a0', null],
    ["\u00a01", null],
    ["1//", null],
    ["/**/1", null],
    ['"', null],
    ['"a', null],
    ['"\\', null],
    ['"\\"', null],
    ['"\\x"', null],
    ['"\\u"', null],
    ['"\\u12G4"', null],
    ['"\\u 123"', null],
    ['"\\U0041"', null],
    ['"\n"', null],
    ['"\u0001n"', null],
    ['"\u001f"', null],
    ['"\\u0000"', null],
    ['{"a":1,"b":"x\\u0000"}', "b"],
    ['"\\ud800"', null],
    ['"\\udc00"', null],
    ['"\\ud800\\ud800"', null],
    ['{"a":"\\udc00\\ud800"}', "a"],
    ["\ufeff1", null],
    ["1\0", null],
  ];
  test.each(texts)("%j", (text, param) => {
    expect(refusal(() => read(text))).toMatchObject({ code: "invalid_request", status: 400, param });
  });

  test.each([
    ["", "The body ends too early or is empty at line 1, column 1."],
    ["1 2", "There is something after the JSON value at line 1, column 3."],
    ["{a:1}", "An object's key is missing at line 1, column 2."],
    ['{"a":1,"a":1}', "An object has a key twice."],
    ["[".repeat(33), "The body is nested more than 32 deep."],
    [`[${"1,".repeat(4100)}1]`, "A body has at most 4100 members and elements."],
    ['"a', "A string is not closed or holds a control character at line 1, column 3."],
    ['"\n"', "A string is not closed or holds a control character at line 1, column 2."],
    ['"\\u0000"', "A string holds a NUL character."],
    ['"\\ud800"', "A string holds a lone surrogate."],
    ['"\\x"', "A string holds an unknown escape at line 1, column 2."],
    ['"\\u12G4"', "A string holds an unknown escape at line 1, column 2."],
    ["+1", "The body is not valid JSON at line 1, column 1."],
    ["nul", "The body is not valid JSON at line 1, column 1."],
    ["[1 2]", "The body is not valid JSON at line 1, column 4."],
    ['{\n  "a": 1,\r\n  "b": [true, fals]\n}', "The body is not valid JSON at line 3, column 15."],
    ['{"a":1,\n}', "An object's key is missing at line 2, column 1."],
    ['{"a":"é😀", b}', "An object's key is missing at line 1, column 13."],
  ])("%j: %s", (text, message) => {
    expect(refusal(() => read(text)).message).toBe(message);
  });

  const bytes = [
    "ff",
    "22c0af22",
    "22eda08022",
    "22f490808022",
    "22e28222",
    "22f8888080802222",
    "fffe2200",
    "c3",
  ];
  test.each(bytes)("bytes %s, which are not UTF-8", (hex) => {
    const { code, message } = refusal(() => readJson(Buffer.from(hex, "hex")));
    expect({ code, message }).toEqual({
      code: "invalid_request",
      message: "The body is not valid UTF-8.",
    });
  });

  test("half a surrogate pair on each side of an escape is whole", () => {
    expect(refusal(() => read('"\\ud83d x"')).message).toBe("A string holds a lone surrogate.");
    expect(read('"\\ud83d\\ude00"')).toBe("😀");
  });
});

describe("any input", () => {
  // Numbers within what 17 digits say, strings that JSON may carry here.
  const value = fc
    .jsonValue({ maxDepth: 6, stringUnit: "grapheme" })
    .filter((json) => !JSON.stringify(json).includes("\\u0000"));

  test("any JSON value reads from JSON.stringify as JSON.parse reads it", () => {
    fc.assert(
      fc.property(value, fc.constantFrom(undefined, 1, "\t"), (json, indent) => {
        const text = JSON.stringify(json, null, indent);
        const parsed: unknown = JSON.parse(text);
        expect(JSON.stringify(plain(read(text)))).toBe(JSON.stringify(parsed));
      }),
      { numRuns: 1000 },
    );
  });

  test("random bytes are read or refused with PublicError and nothing else; what is read JSON.parse reads too", () => {
    const noise = fc.uint8Array({ maxLength: 40 });
    const jsonish = fc
      .string({ unit: fc.constantFrom(...'{}[]",:\\u0123eE+-.tfnalsr \n'), maxLength: 30 })
      .map((text) => new TextEncoder().encode(text));
    fc.assert(
      fc.property(fc.oneof(noise, jsonish), (bytes) => {
        const result = attempt(() => readJson(bytes));
        if (result instanceof PublicError) return;
        const parsed: unknown = JSON.parse(new TextDecoder().decode(bytes));
        expect(JSON.stringify(plain(result))).toBe(JSON.stringify(parsed));
      }),
      { numRuns: 5000 },
    );
  });
});
