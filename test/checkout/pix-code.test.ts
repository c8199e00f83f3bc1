import { expect, test } from "vitest";
import { amountOfBrCode, writeBrCode } from "../../src/providers/br-code.ts";
import { checkedCode } from "../../src/providers/pix-code.ts";
import { ProviderFault } from "../../src/providers/provider-fault.ts";

const LOCATION = "pix.example/qr/v2/1";
const REQUEST = {
  reference: "pay01",
  amountMinor: 15_990n,
  merchantName: "Loja",
  description: null,
  expiresAt: new Date(900_000),
  isRepeated: false,
};
const codeOf = (amountMinor: bigint, location = LOCATION): string =>
  writeBrCode({ location, amountMinor, merchantName: "Loja", merchantCity: "SAO PAULO" });

test("a provider's code that asks for the price is shown as it is", () => {
  const code = codeOf(15_990n);
  expect(checkedCode({ code, location: LOCATION }, REQUEST)).toBe(code);
});

test.each([15_989n, 15_991n])("a code that asks for %d instead of 15990 is refused", (amount) => {
  const issued = { code: codeOf(amount), location: LOCATION };
  expect(() => checkedCode(issued, REQUEST)).toThrow("asks for another amount");
});

test("a code that leads to another location is refused", () => {
  const issued = { code: codeOf(15_990n, "pix.example/qr/v2/2"), location: LOCATION };
  expect(() => checkedCode(issued, REQUEST)).toThrow("leads to another location");
});

test("a code with one altered character is refused", () => {
  const issued = {
    code: codeOf(15_990n).replace("LOJA", "LOJB").replace("Loja", "Lojb"),
    location: LOCATION,
  };
  expect(() => checkedCode(issued, REQUEST)).toThrow("is damaged");
});

test("without a code, one is made of the location, for the price", () => {
  const code = checkedCode({ code: null, location: LOCATION }, REQUEST);
  expect(amountOfBrCode(code)).toBe(15_990n);
  expect(code).toContain(LOCATION);
});

test.each([
  ["asks for another amount", codeOf(1n)],
  ["leads to another location", codeOf(15_990n, "pix.example/qr/v2/2")],
  ["is damaged", "no code"],
])("the fault of a code that %s names the charge, and not the code", (what, code) => {
  const check = () => checkedCode({ code, location: LOCATION }, REQUEST);
  const message = `the provider's code of pay01 ${what}`;
  expect(check).toThrow(new ProviderFault("unknown", message, { code: "wrong_code" }));
  expect(check).toThrow(expect.objectContaining({ kind: "unknown", code: "wrong_code" }));
});

test("a code whose provider names no location is shown as it is", () => {
  const code = codeOf(15_990n);
  expect(checkedCode({ code, location: null }, REQUEST)).toBe(code);
});

test("a code whose provider names no location is refused if it asks for another amount", () => {
  const issued = { code: codeOf(15_991n), location: null };
  expect(() => checkedCode(issued, REQUEST)).toThrow("asks for another amount");
});

test.each([null, LOCATION])("a static code is refused beside the location %s", (location) => {
  const code = "00020126290014br.gov.bcb.pix0107a@b.com53039866304D86C";
  expect(() => checkedCode({ code, location }, REQUEST)).toThrow("leads to no location");
});

test("neither a code nor a location is refused", () => {
  expect(() => checkedCode({ code: null, location: null }, REQUEST)).toThrow("is missing");
});

test("a code without an amount is shown: the charge at the location has it", () => {
  const fields = ["000201", "010212", `26410014br.gov.bcb.pix25${LOCATION.length}${LOCATION}`, "5303986"];
  const code = `${fields.join("")}6304E03F`;
  expect(checkedCode({ code, location: LOCATION }, REQUEST)).toBe(code);
});

test("a code that is made here has Brasil as its city", () => {
  expect(checkedCode({ code: null, location: LOCATION }, REQUEST)).toContain("6006BRASIL");
});

test.each([
  ["78 characters", "x".repeat(78)],
  ["no character", ""],
  ["a NUL", "pix.example/\0"],
  ["a letter with an accent", "pix.example/é"],
  ["a space", "pix.example/ 1"],
])("no code is made of a location with %s", (_what, location) => {
  const check = () => checkedCode({ code: null, location }, REQUEST);
  expect(check).toThrow(ProviderFault);
  expect(check).toThrow(expect.objectContaining({ kind: "unknown", code: "wrong_code" }));
});

test("a code is made of a location with 77 characters", () => {
  const location = "x".repeat(77);
  expect(checkedCode({ code: null, location }, REQUEST)).toContain(`2577${location}`);
});

test("a code with a NUL is refused", () => {
  const issued = { code: codeOf(15_990n, "pix.example/\0"), location: null };
  expect(() => checkedCode(issued, REQUEST)).toThrow("is damaged");
});
