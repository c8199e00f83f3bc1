import { create } from "@bufbuild/protobuf";
import { createValidator } from "@bufbuild/protovalidate";
import { describe, expect, test } from "vitest";
import { PayerDetailsSchema } from "../../gen/paylink/checkout/v1/checkout_pb.ts";
import { InviteUserRequestSchema, Role } from "../../gen/paylink/identity/v1/users_pb.ts";
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
  readPayer({ required: fields, optional: [] }, create(PayerDetailsSchema, details));
const readNeeded = (details: { name?: string; email?: string; document?: string }) =>
  readPayer(
    { required: Object.keys(details) as (keyof typeof details)[], optional: [] },
    create(PayerDetailsSchema, details),
  );

describe("an optional detail", () => {
  const asked = { required: ["name"], optional: ["email", "document"] } as const;
  const given = (details: object, earlier?: object) =>
    readPayer(asked, create(PayerDetailsSchema, details), earlier);

  test("is kept where it is given, and left out where it is empty", () => {
    expect(given({ name: "Ana Souza", email: " \u200b", document: "" })).toEqual({ name: "Ana Souza" });
    expect(given({ name: "Ana Souza", document: "12.ABC.345/01DE-35" })).toEqual({
      name: "Ana Souza",
      document: "12ABC34501DE35",
    });
  });

  test("is refused where it is wrong, and nothing is kept where all that is asked for is optional and empty", () => {
    expect(() => given({ name: "Ana Souza", document: "529.982.247-24" })).toThrow(
      expect.objectContaining({ param: "document" }),
    );
    const optional = { required: [], optional: ["email"] } as const;
    expect(readPayer(optional, create(PayerDetailsSchema, { email: "" }))).toBeNull();
    expect(readPayer(optional, undefined)).toBeNull();
  });

  test("of an earlier attempt is used again, and one that it left out is not needed", () => {
    const name = "Ana Souza";
    expect(readPayer(asked, undefined, { name })).toEqual({ name });
    expect(readPayer(asked, undefined, { name, email: "ana@example.com", phone: "+55" })).toEqual({
      name,
      email: "ana@example.com",
    });
    expect(() => readPayer(asked, undefined, { email: "ana@example.com" })).toThrow(
      expect.objectContaining({ param: "name" }),
    );
  });
});

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
  [{ name: "4111\u200b1111\u00ad1111\u20601111" }, "name"],
  [{ document: "4111 1111 1111 1111" }, "document"],
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
