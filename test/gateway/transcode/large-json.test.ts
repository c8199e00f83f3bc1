import { expect, test } from "vitest";
import { readJson, type Json } from "../../../gateway/transcode/json-reader.ts";

const read = (text: string): Json => readJson(new TextEncoder().encode(text));
const PICTURE = "A".repeat(70_000);
const ones = (count: number): number[] => Array.from({ length: count }, () => 1);

test("more than 64 KiB have at most 64 members and elements, less have at most 4100", () => {
  const large = (count: number): string => JSON.stringify({ content: PICTURE, a: ones(count) });
  const message = "A body of more than 64 KiB has at most 64 members and elements.";
  expect(read(large(62))).toBeInstanceOf(Map);
  const refused = expect.objectContaining({ code: "invalid_request", param: "a", message });
  expect(() => read(large(63))).toThrow(refused);
  const keys = Array.from({ length: 300_000 }, (_, index) => `"${index}":1`).join();
  expect(() => read(`{${keys}}`)).toThrow(message);
  expect(read(JSON.stringify(ones(4100)))).toHaveLength(4100);
  for (const part of ["[]", "1", '{"b":[]}']) {
    const small = `{"a":[${`${part},`.repeat(5000)}1]}`;
    const many = "A body has at most 4100 members and elements.";
    expect(() => read(small)).toThrow(expect.objectContaining({ param: "a", message: many }));
  }
});

test.each([String.raw`\/`, String.raw`\u002B`])("escapes %s go as far as base64 needs them", (escape) => {
  const large = (count: number): string => `{"content":"${PICTURE}${escape.repeat(count)}"}`;
  const message = "A body of more than 64 KiB has at most 262144 escapes.";
  expect(read(large(262_144))).toBeInstanceOf(Map);
  const refused = expect.objectContaining({ code: "invalid_request", param: "content", message });
  expect(() => read(large(262_145))).toThrow(refused);
});
