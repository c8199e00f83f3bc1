import { create } from "@bufbuild/protobuf";
import { createValidator } from "@bufbuild/protovalidate";
import { describe, expect, test } from "vitest";
import { PayerDetailsSchema } from "../../gen/paylink/checkout/v1/checkout_pb.ts";
import { InviteUserRequestSchema, Role } from "../../gen/paylink/identity/v1/users_pb.ts";
import {
  holdsCardNumber,
  phoneHoldsCardNumber,
  readsAsCardNumber,
  typedCardNumber,
} from "../../src/platform/card-number.ts";
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
  readPayer(fields, [], create(PayerDetailsSchema, details));
const readNeeded = (details: { name?: string; email?: string; document?: string }) =>
  readPayer([], Object.keys(details) as (keyof typeof details)[], create(PayerDetailsSchema, details));

describe("a telephone", () => {
  test.each([
    ["(11) 91234-5678", "+5511912345678"],
    ["11912345678", "+5511912345678"],
    ["011 3333-4444", "+551133334444"],
    ["+55 11 91234 5678", "+5511912345678"],
    ["+1 415 555 2671", "+14155552671"],
    ["+44 20 7946 0958", "+442079460958"],
    ["\u202a+55 11 91234\u20115678\u202c", "+5511912345678"],
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

describe("an e-mail address", () => {
  const validator = createValidator();
  const isInvited = (email: string) =>
    validator.validate(
      InviteUserRequestSchema,
      create(InviteUserRequestSchema, { tenantId: "ten_1", email, role: Role.OWNER }),
    ).kind === "valid";

  test.each(["ana@example.com", "a.b+c_d@sub.example.com.br", "o'neil@x-y.example", "A@B.CO"])(
    "%s is taken of a payer and of an invitation",
    (email) => expect([readNeeded({ email }), isInvited(email)]).toEqual([{ email }, true]),
  );

  test.each([
    "a@b.com.",
    "a@b..com",
    "<a@b.com>",
    "a@b.com;",
    "a@b.com,c@d.com",
    "Ana <a@b.com>",
    "mailto:a@b.com",
    "a@.b.com",
    "a@-b.com",
    "a@b_c.com",
    "a@b@c.com",
    "a b@c.com",
    "ána@b.com",
    "@b.com",
    "",
  ])("%j is refused of a payer and of an invitation", (email) => {
    expect(() => readNeeded({ email })).toThrow("not an e-mail address");
    expect(isInvited(email)).toBe(false);
  });

  test("of a payer is on the internet", () => {
    expect(() => readNeeded({ email: "ana@gmail" })).toThrow("not an e-mail address");
  });
});

describe("a copied text", () => {
  test.each([
    "529.982.247\u201125",
    "529\u200b.982.247\u221225",
    "\u202a52998224725\u202c",
    "529.982.247\u2013\ufeff25",
  ])("gives the CPF %j without its dashes and invisible characters", (document) =>
    expect(readNeeded({ document })).toEqual({ document: "52998224725" }),
  );

  test("gives a CNPJ and a CEP without their dashes and invisible characters", () => {
    expect(readNeeded({ document: "11.222.333/0001\u201081\u2060" })).toEqual({ document: "11222333000181" });
    for (const postalCode of [
      "01310\u2010100",
      "01310\u2014100",
      "\u200e01310\u2212100",
      "01310\uff0d100\ufeff",
    ]) {
      const { address } = read(["address"], { address: { ...ADDRESS, postalCode } }) ?? {};
      expect(address?.postal_code).toBe("01310100");
    }
  });

  test("gives a name, an e-mail address and an address without its invisible characters", () => {
    expect(
      readNeeded({ name: "\ufeffAna\u200b Lima\u200f ", email: "\u200bana\u00ad@example.com\u2060" }),
    ).toEqual({
      name: "Ana Lima",
      email: "ana@example.com",
    });
    const street = "\u200bRua\u00ad das Flores \u200b";
    const { address } = read(["address"], { address: { ...ADDRESS, street, state: "\u200bsp" } }) ?? {};
    expect([address?.street, address?.state]).toEqual(["Rua das Flores", "SP"]);
  });

  test("keeps its visible dashes in a name and a street", () => {
    expect(readNeeded({ name: "Ana-Lúcia – Me" })).toEqual({ name: "Ana-Lúcia – Me" });
  });

  test.each(["\u200b", " \ufeff\u00ad ", "\u3164", "\u115f\u1160", "\u2800", "\u034f", "\u{e0020}"])(
    "of nothing visible, %j, is nothing",
    (text) => {
      expect(() => readNeeded({ name: text })).toThrow("full name");
      for (const field of ["street", "number", "district", "city"]) {
        const attempt = () => read(["address"], { address: { ...ADDRESS, [field]: text } });
        expect(attempt).toThrow(expect.objectContaining({ param: field, message: `${field} is required.` }));
      }
      const { address } = read(["address"], { address: { ...ADDRESS, complement: text } }) ?? {};
      expect(address?.complement).toBe("");
    },
  );
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

const SAME = [
  "4111.1111.1111.1111",
  "4111/1111/1111/1111",
  "4111 / 1111 / 1111 / 1111",
  "4111\u00a01111\u202f1111\u20091111",
  "4111\u200b1111\u200d1111\ufeff1111",
  "4\u00ad1111111\u200e11111111",
  "4\u03321\u03321\u03321\u033211111111111\u03321",
  "4.1.1.1.1.1.1.1.1.1.1.1.1.1.1.1",
  "41-11-11-11-11-11-11-11",
  "٤١١١١١١١١١١١١١١١",
  "۴۱۱۱ ۱۱۱۱ ۱۱۱۱ ۱۱۱۱",
  "४१११११११११११११११",
  "𝟜𝟙𝟙𝟙𝟙𝟙𝟙𝟙𝟙𝟙𝟙𝟙𝟙𝟙𝟙𝟙",
  "④①①①①①①①①①①①①①①①",
  "card no. 4111 1111 1111 1111, 12/28",
  "4111    1111 -- 1111 \t 1111",
  "42: 4111111111111111",
  "paid by visa4111111111111111ok",
  "3782 822463 10005",
  "3056 930902 5904",
  "6362970000457013",
  "6062825624254001",
  "2223 0000 4841 0010",
];

test.each(SAME)(
  "%j is seen however it is written, in what payers type and in what merchants send",
  (text) => {
    expect(typedCardNumber(text)).toBe(true);
    expect(readsAsCardNumber(text)).toBe(true);
  },
);

test.each(["4111a1111b1111c1111", "41 one 11 two 11 three 1111111111"])(
  "%j is seen in what payers type; a merchant's letters part numbers",
  (text) => {
    expect(typedCardNumber(text)).toBe(true);
    expect(readsAsCardNumber(text)).toBe(false);
  },
);

test.each([
  ["an order's number", "order-20261121-000417"],
  ["16 digits in no brand's range", "1763766000000007"],
  ["16 digits whose check digit does not fit", "4111111111111112"],
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
  ["an id", "pl_01jd4111111111111111000000"],
])("%s is none of a merchant's card numbers: %s", (_, text) => expect(readsAsCardNumber(text)).toBe(false));

test("of random numbers of 16 digits one in fifty is taken for a card's, of other lengths hardly any", () => {
  let seed = 1n;
  const random = (length: number): string => {
    let digits = "";
    while (digits.length < length) {
      seed = (seed * 6_364_136_223_846_793_005n + 1_442_695_040_888_963_407n) % 2n ** 64n;
      digits += (seed >> 44n).toString().padStart(7, "0").slice(-5);
    }
    return digits.slice(0, length);
  };
  const share = (length: number): number =>
    Array.from({ length: 10_000 }, () => random(length)).filter(readsAsCardNumber).length / 10_000;
  expect(share(16)).toBeLessThan(0.035);
  expect(share(15)).toBeLessThan(0.005);
  for (const length of [10, 12, 13, 14, 17, 18, 19, 20]) expect(share(length)).toBe(0);
});

test("a large text of digits is looked through at once", () => {
  const started = performance.now();
  const marks = `a${"\u0301".repeat(60_000)}${"\u0334".repeat(60_000)}`;
  const digits = ["4 ".repeat(32_000), "4".repeat(64_000), "４ ".repeat(20_000), "4-".repeat(32_000)];
  for (const text of [marks, ...digits]) {
    readsAsCardNumber(text);
  }
  expect(performance.now() - started).toBeLessThan(5000);
});
