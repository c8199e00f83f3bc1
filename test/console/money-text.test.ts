import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { minorOf } from "../../gateway/console/fields/money-text.ts";
import { Format } from "../../gateway/pages/format.ts";
import { LANGUAGES, type Language } from "../../gateway/pages/language.ts";

const FORMATS: Record<Language, Format> = { "pt-BR": new Format("pt-BR"), en: new Format("en") };

describe("an amount that is typed", () => {
  test.each([
    ["159,90", 15_990n],
    ["159.90", 15_990n],
    ["159", 15_900n],
    ["159,9", 15_990n],
    ["0,01", 1n],
    ["007", 700n],
    ["1.234,56", 123_456n],
    ["1,234.56", 123_456n],
    ["1.234.567", 123_456_700n],
    ["1,234,567.8", 123_456_780n],
    ["12345678,90", 1_234_567_890n],
    ["  R$ 159,90 ", 15_990n],
    ["r$159.90", 15_990n],
    ["BRL 159,90", 15_990n],
  ])("%s is the same in both languages", (text, minor) => {
    for (const language of LANGUAGES)
      expect([language, minorOf(text, "BRL", language)]).toEqual([language, minor]);
  });

  test("of one separator before three digits is what the language parts thousands with, or refused", () => {
    expect(minorOf("1.234", "BRL", "pt-BR")).toBe(123_400n);
    expect(minorOf("1,234", "BRL", "en")).toBe(123_400n);
    expect(minorOf("1,234", "BRL", "pt-BR")).toBe("ambiguous");
    expect(minorOf("1.234", "BRL", "en")).toBe("ambiguous");
  });

  test.each(["", " ", "\u00A0"])("%j is missing", (text) => {
    expect(minorOf(text, "BRL", "pt-BR")).toBe("missing");
  });

  test.each(
    [
      [
        "abc",
        "-1",
        "+1",
        "1e3",
        "0x10",
        "1 234,56",
        "159,",
        ",90",
        "1.2.3",
        "1,23,456",
        "1.234,567",
        "12.34,56",
      ],
      [
        "1..2",
        "=1+1",
        "１２３",
        "159,90 BRL",
        "US$ 10",
        "$10",
        "NaN",
        "1.2345",
        "12,34.56",
        "0.500",
        "0,500",
        "0.001",
        "00.123",
        "0.123.456",
        "0,123.45",
      ],
    ].flat(),
  )("%s is refused", (text) => {
    for (const language of LANGUAGES) expect(minorOf(text, "BRL", language)).toBe("malformed");
  });

  test("has the sign of its own currency only", () => {
    expect(minorOf("US$ 10,50", "USD", "pt-BR")).toBe(1050n);
    expect(minorOf("$10.50", "USD", "en")).toBe(1050n);
    expect(minorOf("R$ 10", "USD", "en")).toBe("malformed");
  });

  test("of too many digits is too large, and no number is lost before", () => {
    expect(minorOf("999999999999999,99", "BRL", "pt-BR")).toBe(99_999_999_999_999_999n);
    expect(minorOf("9".repeat(16), "BRL", "pt-BR")).toBe("too_large");
    expect(minorOf("9".repeat(5000), "BRL", "pt-BR")).toBe("too_large");
  });

  test("as a page writes it comes back as it was, in every language and currency", () => {
    const amounts = fc.bigInt(0n, 99_999_999_999_999_999n);
    fc.assert(
      fc.property(
        amounts,
        fc.constantFrom(...LANGUAGES),
        fc.constantFrom("BRL", "USD"),
        (minor, language, currency) => {
          expect(minorOf(FORMATS[language].money(minor, currency), currency, language)).toBe(minor);
        },
      ),
    );
  });
});

describe("a change in percent", () => {
  test.each([0n, 499n, -1n, -499n])("of %s ppm rounds to zero, which has no sign", (ppm) => {
    expect(FORMATS["pt-BR"].change(ppm)).toBe("0,0%");
    expect(FORMATS.en.change(ppm)).toBe("0.0%");
  });

  test("has its sign in all other cases", () => {
    expect([501n, -501n].map((ppm) => FORMATS.en.change(ppm))).toEqual(["+0.1%", "-0.1%"]);
  });
});
