import { create, type JsonObject } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { readJson } from "../../../gateway/transcode/json-reader.ts";
import { compileMessageReader } from "../../../gateway/transcode/message-reader.ts";
import { messageWriter } from "../../../gateway/transcode/message-writer.ts";
import { compileQueryReader } from "../../../gateway/transcode/query-reader.ts";
import { routesOf } from "../../../gateway/transcode/route.ts";
import { contract, TEXTS, type Planted } from "./planted-contract.ts";

const NUMBER = { type: "TYPE_INT32" };
const SIZE = { type: "TYPE_ENUM", typeName: ".planted.Size" };
const REPEATED = { label: "LABEL_REPEATED" };
const of = (name: string): JsonObject => ({ type: "TYPE_MESSAGE", typeName: `.planted.${name}` });
const option = (rule: JsonObject): JsonObject => ({ options: { "[paylink.options.v1.field]": rule } });
const ID = { name: "id", type: "TYPE_STRING" };
const BYTES = { name: "raw", type: "TYPE_BYTES" };
const mapOf = (message: string): JsonObject => ({
  ...TEXTS,
  type: "TYPE_MESSAGE",
  typeName: `.planted.${message}.WordsEntry`,
});
const path = (rule: JsonObject): JsonObject => ({ "[google.api.http]": rule });
const rules = (given: JsonObject): JsonObject => ({ "[paylink.options.v1.method]": given });
const SCOPE = rules({ scope: "a:read" });
const UNSUPPORTED = "not part of the public contract";

describe("a contract of every kind of field", () => {
  const FIELDS = [
    { name: "single", ...of("Single") },
    { name: "list", ...of("List"), ...option({ isList: true }) },
    TEXTS,
    { name: "size", ...SIZE },
    { name: "sizes", ...SIZE, ...REPEATED },
    { name: "lists", ...of("List"), ...REPEATED },
    { name: "count", type: "TYPE_INT64" },
  ];
  const BODY =
    '{"single":{"texts":"a"},"list":["b"],"texts":["c"],"size":"large","sizes":["large"],' +
    '"lists":[{"texts":["d"]}],"count":9007199254740991}';

  test("is read from JSON, and an error names what is wrong in it", () => {
    const read = compileMessageReader(contract({ asked: FIELDS }).asked, new Set());
    const from = (text: string) => read(readJson(new TextEncoder().encode(text)));
    expect(from(BODY)).toMatchObject({
      single: { texts: "a" },
      list: { texts: ["b"] },
      texts: ["c"],
      size: 1,
      sizes: [1],
      lists: [{ texts: ["d"] }],
      count: 9_007_199_254_740_991n,
    });
    const refused: [string, string, string][] = [
      ['{"single":[]}', "single", "single must be an object."],
      ['{"single":{"texts":1}}', "single", "single must be a string."],
      ['{"lists":[1]}', "lists", "lists must be an object."],
      ['{"texts":[1]}', "texts", "texts must be a list of strings."],
      ['{"count":9007199254740992}', "count", "count is out of range."],
    ];
    for (const [text, param, message] of refused)
      expect(() => from(text)).toThrow(expect.objectContaining({ code: "invalid_request", param, message }));
  });

  test("is written as JSON, members of one message in place of it and one of a choice", () => {
    const others = [
      { name: "rate", type: "TYPE_INT64", ...option({ decimals: 2 }) },
      { name: "created", type: "TYPE_MESSAGE", typeName: ".google.protobuf.Timestamp" },
      { name: "metadata", type: "TYPE_MESSAGE", typeName: ".google.protobuf.Struct" },
    ];
    const inline = { name: "inner", ...of("Pair"), ...option({ isInline: true }) };
    const choice = [
      { name: "one", ...NUMBER, oneofIndex: 0 },
      { name: "other", ...of("Single"), oneofIndex: 0 },
    ];
    const { answered } = contract({
      answered: [...FIELDS.filter(({ name }) => name !== "list"), ...others, inline, ...choice],
    });
    const response = create(answered, {
      single: { texts: "a" },
      texts: ["c"],
      size: 1,
      sizes: [1],
      lists: [{ texts: ["d"] }],
      count: 9_007_199_254_740_991n,
      rate: 150n,
      created: { seconds: 7n },
      metadata: { a: [1] },
      inner: { others: ["e"] },
      choice: { case: "other", value: { texts: "f" } },
    });
    expect(messageWriter(answered)(response)).toBe(
      '{"single":{"texts":"a"},"texts":[],"size":"large","sizes":["large"],"lists":[{"texts":["d"]}],' +
        '"count":9007199254740991,"rate":1.50,"created":7,"metadata":{"a":[1]},"others":["e"],"other":{"texts":"f"}}',
    );
  });

  test("has as its body the field that it names", () => {
    const answered = [
      { name: "count", ...NUMBER },
      { name: "single", ...of("Single") },
    ];
    const options = { ...path({ get: "/v1/a", responseBody: "single" }), ...SCOPE };
    const planted = contract({ options, answered });
    const [route] = routesOf([planted.service]);
    const response = create(planted.answered, { single: { texts: "a" } });
    expect(route?.write(response)).toBe('{"texts":"a"}');
  });
});

describe("routes are not made of", () => {
  const routes = (planted: Planted) => () => routesOf([contract(planted).service]);

  test("an RPC with a path that streams; without one it is none of theirs", () => {
    const options = { ...path({ get: "/v1/a" }), ...SCOPE };
    expect(routes({ options, isStream: true })).toThrow("only unary RPCs have a path");
    expect(routes({ options })()).toHaveLength(1);
  });

  test("another verb than get and post", () => {
    const options = { ...path({ delete: "/v1/a" }), ...SCOPE };
    expect(routes({ options })).toThrow("the verb must be get or post");
    const more = { ...path({ get: "/v1/a", additionalBindings: [{ put: "/v1/b" }] }), ...SCOPE };
    expect(routes({ options: more })).toThrow("the verb must be delete");
  });

  test("an RPC that is neither public nor has a scope", () => {
    const options = path({ get: "/v1/a" });
    expect(routes({ options })).toThrow("a scope is missing");
    const open = { ...options, ...rules({ isPublic: true }) };
    expect(routes({ options: open })()).toMatchObject([{ isPublic: true, scope: "" }]);
  });

  test("a response body that is no field, or no message", () => {
    const answered = [{ name: "count", type: "TYPE_INT32" }];
    for (const responseBody of ["count", "elsewhere"]) {
      const options = { ...path({ get: "/v1/a", responseBody }), ...SCOPE };
      expect(routes({ options, answered })).toThrow(`no message field ${responseBody}`);
    }
  });
});

describe("no message is read from JSON with", () => {
  const reader =
    (...asked: JsonObject[]) =>
    () =>
      compileMessageReader(contract({ asked }).asked, new Set());

  test("a type that JSON has no form for here", () => {
    expect(reader({ ...BYTES, type: "TYPE_DOUBLE" })).toThrow(`scalar type DOUBLE is ${UNSUPPORTED}`);
    expect(reader(mapOf("Asked"))).toThrow(`maps are ${UNSUPPORTED}`);
  });

  test("a wrapped list that is not of one repeated field", () => {
    for (const name of ["Pair", "Single", "Empty"]) {
      const list = { name: "list", ...of(name), ...option({ isList: true }) };
      expect(reader(list)).toThrow(`planted.${name} must have one repeated field`);
    }
  });
});

test("no message is read from a query with a field that is no text, word, time or number", () => {
  const numbers = { name: "numbers", ...NUMBER, ...REPEATED };
  const fields = [{ ...ID, name: "text" }, TEXTS, numbers, { name: "flag", type: "TYPE_BOOL" }];
  const read = compileQueryReader(contract({ asked: fields }).asked, new Set());
  expect(read("text=a")).toMatchObject({ text: "a" });
  for (const query of ["texts=a", "numbers=1", "flag=1"])
    expect(() => read(query)).toThrow(`${UNSUPPORTED}'s queries`);
});

describe("no answer is written with", () => {
  const writer =
    (...answered: JsonObject[]) =>
    () =>
      messageWriter(contract({ answered }).answered);

  test("a type that JSON has no form for here", () => {
    expect(writer(BYTES)).toThrow(`this type is ${UNSUPPORTED}`);
    expect(writer({ ...BYTES, label: "LABEL_REPEATED" })).toThrow(`this type is ${UNSUPPORTED}`);
    expect(writer(mapOf("Answered"))).toThrow(`maps are ${UNSUPPORTED}`);
  });
});
