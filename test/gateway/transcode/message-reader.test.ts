import { isMessage, type Message } from "@bufbuild/protobuf";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { PublicError } from "../../../gateway/transcode/errors.ts";
import { readJson, type Json } from "../../../gateway/transcode/json-reader.ts";
import { compileMessageReader } from "../../../gateway/transcode/message-reader.ts";
import { CreatePaymentIntentRequestSchema } from "../../../gen/paylink/ledger/v1/ledger_pb.ts";
import {
  AcceptQuoteRequestSchema,
  CollectField,
  CreatePaymentLinkRequestSchema,
  SimulatePaymentRequestSchema,
} from "../../../gen/paylink/links/v1/links_pb.ts";
import { CreateQuoteRequestSchema, PaymentMethod } from "../../../gen/paylink/pricing/v1/pricing_pb.ts";

const json = (text: string) => readJson(new TextEncoder().encode(text));
const readLink = (body: Json) => compileMessageReader(CreatePaymentLinkRequestSchema, new Set())(body);
const readAccept = (body: Json) => compileMessageReader(AcceptQuoteRequestSchema, new Set(["id"]))(body);

function attempt(run: () => Message): Message | PublicError {
  try {
    return run();
  } catch (error) {
    if (error instanceof PublicError) return error;
    throw error;
  }
}

describe("a body becomes a message", () => {
  test("every kind of field", () => {
    const message = readLink(
      json(
        '{"amount":9007199254740991,"currency":"BRL","payment_methods":["card","pix"],"max_installments":-2147483648,' +
          '"campaign":false,"product_images":["a",""],"collect_fields":[],"metadata":{"1":[null,{"a":-0.5}]}}',
      ),
    );
    if (!isMessage(message, CreatePaymentLinkRequestSchema)) throw new Error("another message");
    const { $typeName: _, paymentMethods, collectFields, productImages, ...rest } = message;
    expect(rest).toEqual({
      amount: 9_007_199_254_740_991n,
      currency: "BRL",
      maxInstallments: -2_147_483_648,
      campaign: false,
      metadata: { "1": [null, { a: -0.5 }] },
    });
    expect(paymentMethods?.values).toEqual([PaymentMethod.CARD, PaymentMethod.PIX]);
    expect(collectFields?.values).toEqual([]);
    expect(productImages?.values).toEqual(["a", ""]);
  });

  test("an empty list differs from an absent one where the contract distinguishes them", () => {
    const none = readLink(json("{}"));
    if (!isMessage(none, CreatePaymentLinkRequestSchema)) throw new Error("another message");
    expect(none.collectFields).toBeUndefined();
    const both = readLink(json('{"collect_fields":["address","phone"]}'));
    if (!isMessage(both, CreatePaymentLinkRequestSchema)) throw new Error("another message");
    expect(both.collectFields?.values).toEqual([CollectField.ADDRESS, CollectField.PHONE]);
  });

  test("metadata's keys are own keys, also __proto__ and the like", () => {
    const message = readLink(json('{"metadata":{"constructor":1,"toString":2,"hasOwnProperty":3}}'));
    if (!isMessage(message, CreatePaymentLinkRequestSchema)) throw new Error("another message");
    expect(Object.entries(message.metadata ?? {})).toEqual([
      ["constructor", 1],
      ["toString", 2],
      ["hasOwnProperty", 3],
    ]);
  });
});

test("a number in metadata is taken when a double has the value that was written", () => {
  const taken = [
    "1.50",
    "1e20",
    "0.1",
    "-0",
    "0.00",
    "100e-2",
    "9007199254740992",
    "1e308",
    "5e-324",
    "-1.25E+3",
  ];
  const text = `{"metadata":{${taken.map((number, index) => `"k${index}":${number}`).join(",")}}}`;
  const message = readLink(json(text));
  if (!isMessage(message, CreatePaymentLinkRequestSchema)) throw new Error("another message");
  expect(Object.values(message.metadata ?? {})).toEqual(taken.map(Number));
});

test("any double that was written by its shortest decimal is taken, any other integer past 2^53 refused", () => {
  const readNumber = (number: string) => readLink(json(`{"metadata":{"a":${number}}}`));
  fc.assert(
    fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (number) => {
      expect(readNumber(JSON.stringify(number))).toMatchObject({
        metadata: { a: Object.is(number, -0) ? 0 : number },
      });
    }),
  );
  fc.assert(
    fc.property(fc.bigInt({ min: 2n ** 53n, max: 2n ** 69n }), (number) => {
      if (String(Number(number)) === String(number)) readNumber(String(number));
      else expect(() => readNumber(String(number))).toThrow(expect.objectContaining({ param: "metadata" }));
    }),
  );
});

describe("what is refused", () => {
  const refused: [string, string, string | null][] = [
    ["[]", "invalid_request", null],
    ["null", "invalid_request", null],
    ['"amount"', "invalid_request", null],
    ['{"amount":"1"}', "invalid_request", "amount"],
    ['{"amount":1.0}', "invalid_request", "amount"],
    ['{"amount":1e2}', "invalid_request", "amount"],
    ['{"amount":-0}', "invalid_request", "amount"],
    ['{"amount":9007199254740992}', "invalid_request", "amount"],
    ['{"amount":-9007199254740992}', "invalid_request", "amount"],
    ['{"amount":null}', "invalid_request", "amount"],
    ['{"max_installments":2147483648}', "invalid_request", "max_installments"],
    ['{"max_installments":-2147483649}', "invalid_request", "max_installments"],
    ['{"currency":null}', "invalid_request", "currency"],
    ['{"campaign":0}', "invalid_request", "campaign"],
    ['{"fee_handling":1}', "invalid_request", "fee_handling"],
    ['{"fee_handling":"FEE_HANDLING_ABSORB"}', "invalid_request", "fee_handling"],
    ['{"fee_handling":"unspecified"}', "invalid_request", "fee_handling"],
    ['{"fee_handling":"constructor"}', "invalid_request", "fee_handling"],
    ['{"payment_methods":{"values":["pix"]}}', "invalid_request", "payment_methods"],
    ['{"payment_methods":["pix",1]}', "invalid_request", "payment_methods"],
    ['{"product_images":"a"}', "invalid_request", "product_images"],
    ['{"product_images":[null]}', "invalid_request", "product_images"],
    ['{"metadata":[]}', "invalid_request", "metadata"],
    ['{"metadata":{"a":{"__proto__":1}}}', "invalid_request", "metadata"],
    ['{"metadata":{"a":9007199254740993}}', "invalid_request", "metadata"],
    ['{"metadata":{"a":[12345678901234567890]}}', "invalid_request", "metadata"],
    ['{"metadata":{"a":0.10000000000000000001}}', "invalid_request", "metadata"],
    ['{"metadata":{"a":{"b":1e-400}}}', "invalid_request", "metadata"],
    ['{"metadata":{"a":-1e999}}', "invalid_request", "metadata"],
    ['{"x":1}', "unknown_parameter", "x"],
    ['{"amount":"wrong","x":1}', "unknown_parameter", "x"],
    ['{"paymentMethods":["pix"]}', "unknown_parameter", "paymentMethods"],
    ['{"__proto__":{}}', "unknown_parameter", "__proto__"],
    ['{"$typeName":"a"}', "unknown_parameter", "$typeName"],
    ['{"":1}', "unknown_parameter", ""],
  ];
  test.each(refused)("%s: %s, param %s", (text, code, param) => {
    expect(() => readLink(json(text))).toThrow(expect.objectContaining({ name: "PublicError", code, param }));
  });

  test.each([
    ["[]", "The body must be a JSON object."],
    ['{"x":1}', "Unknown parameter: remove it."],
    ['{"amuont":1}', "Unknown parameter: did you mean amount?"],
    ['{"ammount":1}', "Unknown parameter: did you mean amount?"],
    ['{"paymentMethods":["pix"]}', "Unknown parameter: did you mean payment_methods?"],
    ['{"Currency":"BRL"}', "Unknown parameter: did you mean currency?"],
    ['{"expire_in":1}', "Unknown parameter: did you mean expires_in?"],
    ['{"payer_fields":{"emial":"required"}}', "Unknown parameter: did you mean email?"],
    ['{"reason":"x"}', "Unknown parameter: remove it."],
    [`{"${"amount".repeat(9000)}":1}`, "Unknown parameter: remove it."],
    ['{"amount":"1"}', "amount must be an integer."],
    ['{"max_installments":2147483648}', "max_installments must be 1 to 21."],
    ['{"max_installments":9007199254740992}', "max_installments must be 1 to 21."],
    ['{"currency":1}', "currency must be a string."],
    ['{"campaign":0}', "campaign must be true or false."],
    ['{"fee_handling":"x"}', "fee_handling must be absorb or pass_through."],
    ['{"payment_methods":"pix"}', "payment_methods must be an array."],
    ['{"product_images":[1]}', "product_images must be a list of strings."],
    ['{"metadata":[]}', "metadata must be an object."],
    ['{"metadata":{"__proto__":1}}', "metadata must not have the key __proto__."],
    [
      '{"metadata":{"a":1e999}}',
      "metadata holds a number that cannot be kept exactly: write it as a string.",
    ],
  ])("%s: %s", (text, message) => {
    expect(() => readLink(json(text))).toThrow(expect.objectContaining({ message }));
  });

  test("a number as long as a body may be is refused at once", () => {
    const started = performance.now();
    const text = `{"metadata":{"a":0.1${"0".repeat(65_000)}1}}`;
    expect(() => readLink(json(text))).toThrow(expect.objectContaining({ param: "metadata" }));
    expect(performance.now() - started).toBeLessThan(2000);
  });

  test("a field that the path carries is unknown in the body", () => {
    expect(() => readAccept(json('{"name":"a","id":"qt_x"}'))).toThrow(
      expect.objectContaining({ code: "unknown_parameter", param: "id" }),
    );
    expect(readAccept(json('{"name":"a"}'))).toMatchObject({ id: "", name: "a" });
  });

  test("any JSON gives a message of the type or PublicError", () => {
    const readers = [
      CreatePaymentLinkRequestSchema,
      AcceptQuoteRequestSchema,
      CreateQuoteRequestSchema,
      CreatePaymentIntentRequestSchema,
      SimulatePaymentRequestSchema,
    ].map((desc) => ({ desc, read: compileMessageReader(desc, new Set()) }));
    const names = readers.flatMap(({ desc }) => desc.fields.map(({ name }) => name));
    const value = fc.oneof(
      fc.constantFrom("pix", "card", "absorb", "failed", 1, true, [], {}, ["pix"], ["a"]),
      fc.jsonValue({ maxDepth: 2 }),
    );
    const body = fc.oneof(fc.dictionary(fc.constantFrom(...names), value, { maxKeys: 4 }), fc.jsonValue());
    let read = 0;
    fc.assert(
      fc.property(fc.constantFrom(...readers), body, ({ desc, read: readBody }, object) => {
        const result = attempt(() => readBody(json(JSON.stringify(object))));
        expect(result instanceof PublicError || isMessage(result, desc)).toBe(true);
        if (!(result instanceof PublicError)) read++;
      }),
      { numRuns: 2000 },
    );
    expect(read).toBeGreaterThan(50);
  });
});
