import { describe, expect, test } from "vitest";
import { isSameKey, readPixKey } from "../../src/providers/api-pix/pix-key.ts";

describe("a PIX key", () => {
  test.each([
    ["a CPF", "529.982.247-25", "52998224725"],
    ["input 18: a CNPJ", "11.222.333/0001-81", "11222333000181"],
    ["a CNPJ with letters", "12.abc.345/01de-35", "12ABC34501DE35"],
    ["a phone", "+55 (11) 98765-4321", "+5511987654321"],
    ["a phone with eight digits", "+551133334444", "+551133334444"],
    ["an e-mail address", " Loja@Example.com ", "loja@example.com"],
    ["a random key", "7D9F0335-8DCC-4054-9BF9-0DBD61D36906", "7d9f0335-8dcc-4054-9bf9-0dbd61d36906"],
    ["an invisible character beside it", "52998224725\u200B", "52998224725"],
  ])("of %s has one form", (_what, text, key) => {
    expect(readPixKey(text)).toBe(key);
    expect(readPixKey(key)).toBe(key);
    expect(isSameKey(text, key)).toBe(true);
  });

  test.each([
    ["input 19: a phone without its country", "11987654321"],
    ["a phone without its plus", "5511987654321"],
    ["a phone of another country", "+14155550123"],
    ["a CPF with a wrong digit", "529.982.247-26"],
    ["a CNPJ with a wrong digit", "11.222.333/0001-82"],
    ["an e-mail address without a name", "@example.com"],
    ["an e-mail address that is too long", `${"a".repeat(70)}@example.com`],
    ["a random key that is cut", "7d9f0335-8dcc-4054-9bf9-0dbd61d3690"],
    ["a word", "loja"],
    ["nothing", ""],
  ])("is not %s", (_what, text) => {
    expect(readPixKey(text)).toBeNull();
  });

  test("of another form that is no key is the same as itself, and a phone the same with its country", () => {
    expect(isSameKey("Loja", "loja")).toBe(true);
    expect(isSameKey("11987654321", "+5511987654321")).toBe(true);
    expect(isSameKey("5511987654321", "+5511987654321")).toBe(true);
  });

  test("is not the same as one of another kind with the same digits", () => {
    expect(isSameKey("52998224725", "+5552998224725")).toBe(false);
    expect(isSameKey("loja@example.com", "lojas@example.com")).toBe(false);
  });
});
