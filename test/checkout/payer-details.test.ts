import { create } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { PayerDetailsSchema } from "../../gen/paylink/checkout/v1/checkout_pb.ts";
import { holdsCardNumber, phoneHoldsCardNumber } from "../../src/checkout/card-number.ts";
import { readPayer, refuseCardNumbers } from "../../src/checkout/payer-details.ts";

const ADDRESS = {
  postalCode: "01310-100",
  street: " Av. Paulista ",
  number: "s/n",
  district: "Bela Vista",
  city: "São Paulo",
  state: "sp",
};
const read = (fields: ("phone" | "address")[], details: object) =>
  readPayer(fields, create(PayerDetailsSchema, details));

describe("a telephone", () => {
  test.each([
    ["(11) 91234-5678", "+5511912345678"],
    ["11912345678", "+5511912345678"],
    ["011 3333-4444", "+551133334444"],
    ["+55 11 91234 5678", "+5511912345678"],
    ["+1 415 555 2671", "+14155552671"],
    ["+44 20 7946 0958", "+442079460958"],
  ])("%s is %s", (phone, e164) => {
    expect(read(["phone"], { phone })).toEqual({ phone: e164 });
  });

  test.each(["", "123", "(00) 91234-5678", "+55 11 91234", "telephone", "+999 1234 5678"])(
    "%j is refused",
    (phone) => expect(() => read(["phone"], { phone })).toThrow("not a telephone number"),
  );
});

describe("an address", () => {
  test("is kept tidy", () => {
    expect(read(["address"], { address: ADDRESS })).toEqual({
      address: {
        postal_code: "01310100",
        street: "Av. Paulista",
        number: "s/n",
        complement: "",
        district: "Bela Vista",
        city: "São Paulo",
        state: "SP",
      },
    });
  });

  test.each([
    ["postalCode", "0131010", "postal_code"],
    ["postalCode", "0131010a", "postal_code"],
    ["street", " ", "street"],
    ["number", "", "number"],
    ["district", "", "district"],
    ["city", "", "city"],
    ["state", "XX", "state"],
    ["state", "", "state"],
    ["city", "São\u0000Paulo", "city"],
  ])("%s %j is refused at %s", (field, value, param) => {
    const attempt = () => read(["address"], { address: { ...ADDRESS, [field]: value } });
    expect(attempt).toThrow(expect.objectContaining({ param }));
  });
});

test.each([
  [{ phone: "4111 1111 1111 1111" }, "phone"],
  [{ address: { ...ADDRESS, complement: "card 4111-1111-1111-1111" } }, "complement"],
  [{ address: { ...ADDRESS, number: "4111 1111", complement: "1111 1111" } }, "street"],
])("a card number anywhere is refused: %j", (details, param) => {
  expect(() => refuseCardNumbers(create(PayerDetailsSchema, details))).toThrow(
    expect.objectContaining({ code: "card_number_refused", param }),
  );
  expect(() =>
    refuseCardNumbers(create(PayerDetailsSchema, { phone: "11 91234-5678", address: ADDRESS })),
  ).not.toThrow();
});

test("what is not asked for is not kept", () => {
  expect(read([], { phone: "11912345678", address: ADDRESS })).toBeNull();
  expect(read(["phone"], { phone: "11912345678", address: ADDRESS })).toEqual({ phone: "+5511912345678" });
});

describe("something like a card number", () => {
  test.each([
    "4111111111111111",
    "4111 1111 1111 1111",
    "5555-5555-5555-4444",
    "378282246310005",
    "6362 9700 0045 7013",
    "x4111.1111.1111.1111y",
    "30569309025904",
    "4111111111111111 12/28",
    "4111 1111 1111 1111 123",
    "4111  1111  1111  1111",
    "4111_1111_1111_1111",
    "4111–1111–1111–1111",
    "４１１１１１１１１１１１１１１１",
    "1234111111111111111",
  ])("%s is seen", (text) => expect(holdsCardNumber(text)).toBe(true));

  test.each([
    "4111111111111112",
    "tok_01m7yk41111",
    "01310100",
    "123456789012",
    "+5511912345678",
    "4111 1111",
  ])("%s is none", (text) => expect(holdsCardNumber(text)).toBe(false));

  test("a telephone may fit by chance, a card of today not", () => {
    expect(phoneHoldsCardNumber("5511912345672")).toBe(false);
    expect(phoneHoldsCardNumber("4111 1111 1111 1111")).toBe(true);
  });
});
