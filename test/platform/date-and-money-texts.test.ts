import { describe, expect, test } from "vitest";
import { dayText, monthText, timeText } from "../../contract/date-text.ts";
import { LANGUAGES } from "../../contract/messages.ts";
import { exactMoneyText, moneyText } from "../../contract/money-text.ts";

const NOW = Date.parse("2026-11-29T12:00:00Z");
const plain = (text: string): string => text.replaceAll("\u{a0}", " ");

describe("a time is that of São Paulo", () => {
  test.each([
    ["2026-11-29T12:04:36Z", "29/11 às 9h04", "29 Nov 2026, 09:04"],
    ["2025-12-01T12:43:00Z", "01/12/2025 às 9h43", "1 Dec 2025, 09:43"],
    ["2026-03-01T03:05:00Z", "01/03 às 0h05", "1 Mar 2026, 00:05"],
    ["2027-01-01T02:59:59Z", "31/12 às 23h59", "31 Dec 2026, 23:59"],
  ])("%s", (time, portuguese, english) => {
    const ms = Date.parse(time);
    expect(timeText("pt-BR", ms, NOW)).toBe(portuguese);
    expect(timeText("en", ms, NOW)).toBe(english);
  });

  test("and has its year from the present one in São Paulo, not from that of UTC", () => {
    const newYearInUtc = Date.parse("2027-01-01T01:00:00Z");
    expect(timeText("pt-BR", NOW, newYearInUtc)).toBe("29/11 às 9h00");
  });
});

test("a day has the same form as a time, and the year in Portuguese only where it is another", () => {
  expect(dayText("pt-BR", "2026-11-29", NOW)).toBe("29/11");
  expect(dayText("pt-BR", "2025-11-29", NOW)).toBe("29/11/2025");
  expect(dayText("en", "2026-12-01", NOW)).toBe("1 Dec 2026");
});

test("a month is in words", () => {
  const first = Temporal.PlainDate.from("2026-11-01");
  expect(monthText("pt-BR", first)).toBe("novembro de 2026");
  expect(monthText("en", first)).toBe("November 2026");
});

test.each(LANGUAGES)(
  "an amount below 0 is the amount with a minus before it, and nothing between, in %s",
  (language) => {
    for (const currency of ["BRL", "USD"]) {
      expect(moneyText(language, -5936n, currency)).toBe(`−${moneyText(language, 5936n, currency)}`);
      expect(exactMoneyText(language, "-59.36", currency)).toBe(
        `−${exactMoneyText(language, "59.36", currency)}`,
      );
    }
  },
);

test("an amount says whose dollars or reais they are, and stays exact", () => {
  expect(plain(moneyText("pt-BR", 123_456n, "BRL"))).toBe("R$ 1.234,56");
  expect(plain(moneyText("pt-BR", -1000n, "USD"))).toBe("−US$ 10,00");
  expect(moneyText("en", 123_456n, "BRL")).toBe("R$1,234.56");
  expect(moneyText("en", -1000n, "USD")).toBe("−US$10.00");
  expect(moneyText("en", 9_007_199_254_740_993n, "USD")).toBe("US$90,071,992,547,409.93");
  expect(plain(exactMoneyText("pt-BR", "1.23456789", "BRL"))).toBe("R$ 1,23456789");
  expect(() => moneyText("en", 1n, "EUR")).toThrow(RangeError);
});
