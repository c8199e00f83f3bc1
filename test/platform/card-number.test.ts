import { expect, test } from "vitest";
import { holdsCardNumber } from "../../contract/card-number.ts";
import { randomFor } from "../support/seed.ts";

test.each([
  "4111111111111111",
  "4111 1111 1111 1111",
  "5555-5555-5555-4444",
  "4111–1111–1111–1111",
  "4111\u00a01111\u00a01111\u00a01111",
  "378282246310005",
  "3782 822463 10005",
  "3782 8224 6310 005",
  "3056 930902 5904",
  "3056 9309 0259 04",
  "6362970000457013",
  "6362 9700 0045 7013",
  "6062825624254001",
  "2223 0000 4841 0010",
  "card no. 4111 1111 1111 1111, 12/28",
  "4111 1111 1111 1111 12/28 123",
  "1234 4111 1111 1111 1111",
  "4111 1111 1111 1111 5555 5555 5555 4444",
  "42: 4111111111111111",
  "paid by visa4111111111111111ok",
  "https://example.com/4111111111111111",
])("%j has a card number", (text) => expect(holdsCardNumber(text)).toBe(true));

test.each([
  ["an order's number", "order-20261121-000417"],
  ["16 digits in no brand's range", "1763766000000007"],
  ["16 digits whose check digit does not fit", "4111111111111112"],
  ["a card's digits among others", "1234111111111111111"],
  ["a card's digits in other groups", "41-11-11-11-11-11-11-11"],
  ["a card's digits with two spaces", "4111  1111  1111  1111"],
  ["a card's digits with dots", "4111.1111.1111.1111"],
  ["a card's digits with letters", "4111a1111b1111c1111"],
  ["digits of another script", "٤١١١١١١١١١١١١١١١"],
  ["a time in milliseconds", "1763766000123"],
  ["a time", "2026-11-21 22:57:59.123456"],
  ["a Brazilian time on the 30th", "30/05/2026 12:30:41"],
  ["the same in one", "30052026123041"],
  ["a CNPJ", "36.569.309/0259-04"],
  ["a CNPJ in one", "30569309025904"],
  ["a CPF", "529.982.247-25"],
  ["an EAN-13", "4006381333931"],
  ["an IMEI, which has the check digit of cards", "356938035643809"],
  ["an ICCID, which has it too", "8955170110000000004"],
  ["a 64-bit number", "4611686018427387904"],
  ["a UUID of digits alone", "41111111-1111-1111-4111-111111111111"],
  ["the key of an invoice", "35240541111111111111115500100000041111111111"],
  ["the same as it is printed", "3524 0541 1111 1111 1111 1111 5500 1000 0004 1111 1111"],
  ["a bank slip", "34191.79001 01043.510047 91020.150008 1 88130000026000"],
  ["telephone numbers", "+55 11 91234-5678, +55 21 99876-5432"],
  ["a telephone number of 13 digits with the check digit", "5511912345672"],
  ["an id", "pl_01jd4111111111111111000000"],
  ["half a number", "4111 1111"],
])("%s has no card number: %s", (_, text) => expect(holdsCardNumber(text)).toBe(false));

test("of random numbers of 16 digits one in thirty is taken for a card's, of 15 one in 200, and of other lengths none", () => {
  const numbers = randomFor("digits");
  const random = (length: number) => Array.from({ length }, () => numbers.integer(0, 9)).join("");
  const share = (length: number): number =>
    Array.from({ length: 10_000 }, () => random(length)).filter(holdsCardNumber).length / 10_000;
  expect(share(16)).toBeLessThan(0.035);
  expect(share(15)).toBeLessThan(0.005);
  for (const length of [10, 12, 13, 14, 17, 18, 19, 20, 44]) expect(share(length)).toBe(0);
});

test("a text of many groups takes little longer than to find its digits", () => {
  const best = (work: () => unknown): number => {
    const times = Array.from({ length: 20 }, () => {
      const started = performance.now();
      work();
      return performance.now() - started;
    });
    return Math.min(...times);
  };
  for (const text of [
    "4 ".repeat(30_000),
    "4444 ".repeat(12_000),
    "4".repeat(64_000),
    "4444 444444 ".repeat(5000),
  ]) {
    const toFind = best(() => text.match(/\d+/g));
    expect(best(() => holdsCardNumber(text)) / Math.max(toFind, 0.1)).toBeLessThan(60);
  }
});
