import fc from "fast-check";
import { hasError, parsePix, PixElementType } from "pix-utils";
import { describe, expect, test } from "vitest";
import { amountOfBrCode, writeBrCode } from "../../src/providers/br-code.ts";

const LOCATION = "sandbox.paylink.invalid/pix/pay01m7ymjfbmeb8t99egrrkce2wc";
const code = (amountMinor: bigint, merchantName = "Atelie") =>
  writeBrCode({ location: LOCATION, amountMinor, merchantName, merchantCity: "SAO PAULO" });

describe("a BR Code", () => {
  test("is read by an independent library as what was written, its CRC too", () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 1n, max: 999_999_999_999n }), fc.string(), (amount, name) => {
        const text = code(amount, name);
        const read = parsePix(text);
        if (hasError(read) || read.type !== PixElementType.DYNAMIC) throw new Error("not a dynamic PIX");
        expect(read.url).toBe(LOCATION);
        expect(read.transactionCurrency).toBe("986");
        expect(hasError(parsePix(`${text.slice(0, -4)}0000`))).toBe(!text.endsWith("0000"));
      }),
      { numRuns: 500 },
    );
  });

  test("carries the amount to the centavo", () => {
    expect(code(1n)).toContain("54040.01");
    expect(code(15_990n)).toContain("5406159.90");
    expect(code(999_999_999_999n)).toContain("54139999999999.99");
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 999_999_999_999n }), (amount) => {
        expect(amountOfBrCode(code(amount))).toBe(amount);
      }),
    );
  });

  test("names the merchant in ASCII, in 25 characters", () => {
    expect(code(1n, "Ateliê São João do Ribeirão das Neves")).toContain("5925Atelie Sao Joao do Ribeir6009");
    expect(code(1n, "日本")).toContain("5913NAO INFORMADO");
  });

  test.each([
    ["one character changed", code(15_990n).replace("159.90", "159.91")],
    ["cut short", code(15_990n).slice(0, -1)],
    ["empty", ""],
    ["words", "not a code"],
  ])("%s is refused", (_what, text) => {
    expect(() => amountOfBrCode(text)).toThrow(RangeError);
  });
});
