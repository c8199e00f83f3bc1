import { create, equals, fromBinary, toBinary } from "@bufbuild/protobuf";
import fc from "fast-check";
import { expect, test } from "vitest";
import { objectOf, textOf } from "../../../contract/json-text.ts";
import { holdsObjects, withObjects, withTexts } from "../../../contract/object-texts.ts";
import { messageWriter } from "../../../gateway/transcode/message-writer.ts";
import {
  ListPaymentsResponseSchema,
  LedgerService,
  PaymentStatus,
  type ListPaymentsResponse,
} from "../../../gen/paylink/ledger/v1/ledger_pb.ts";
import { EventBodySchema } from "../../../gen/paylink/webhooks/v1/webhooks_pb.ts";
import { FeeHandling, PaymentMethod } from "../../../gen/paylink/pricing/v1/pricing_pb.ts";
import { seedFor } from "../../support/seed.ts";

const LONG = "x".repeat(2000);
const write = messageWriter(ListPaymentsResponseSchema);

/** Objects as they are read from the database, as stored texts. Some are long, and some hold what marks a text. */
const stored = fc
  .dictionary(
    fc.oneof(fc.string(), fc.constant("a")).filter((key) => key !== "__proto__"),
    fc.oneof(fc.jsonValue(), fc.constant(LONG), fc.constant(String.raw`"\/"`)),
    { maxKeys: 4, noNullPrototype: true },
  )
  .map((object) => JSON.stringify(object));

function page(texts: readonly string[], read: (text: string) => object): ListPaymentsResponse {
  const payment = {
    status: PaymentStatus.PENDING,
    feeHandling: FeeHandling.ABSORB,
    paymentMethod: PaymentMethod.PIX,
    createdAt: { seconds: 1n },
  };
  const data = texts.map((text) => ({ ...payment, metadata: read(text) as Record<string, string> }));
  return create(ListPaymentsResponseSchema, { data, hasMore: false });
}

function check(holds: (texts: string[]) => void): void {
  const lists = fc.property(fc.array(stored, { maxLength: 4 }), (texts) => {
    holds(texts);
  });
  fc.assert(lists, { seed: seedFor("stored texts") });
}

test("objects kept as texts are written in the same bytes as parsed ones", () => {
  check((texts) => expect(write(page(texts, objectOf))).toBe(write(page(texts, (text) => JSON.parse(text)))));
});

test("objects that cross the wire as texts are written in the same bytes, and read as the same values", () => {
  check((texts) => {
    const sent = page(texts, objectOf);
    const desc = ListPaymentsResponseSchema;
    const arrived = withObjects(desc, fromBinary(desc, toBinary(desc, withTexts(desc, sent) as never)));
    expect(write(arrived)).toBe(write(page(texts, (text) => JSON.parse(text))));
    expect(
      equals(
        desc,
        arrived as never,
        page(texts, (text) => JSON.parse(text)),
      ),
    ).toBe(true);
  });
});

test("a long text's object has its members in their order, is parsed once they are read, and cannot be changed", () => {
  const value = { b: [LONG], a: { c: 1 }, 7: null };
  const object = objectOf(JSON.stringify(value));
  expect(textOf(object)).toBe(JSON.stringify(value));
  expect(Object.entries(object)).toEqual(Object.entries(value));
  expect([object["a"], "a" in object, "z" in object, JSON.stringify(object)]).toEqual([
    { c: 1 },
    true,
    false,
    JSON.stringify(value),
  ]);
  expect(() => (object["z"] = 1)).toThrow(TypeError);
  expect(() => delete object["a"]).toThrow(TypeError);
  expect(() => Object.freeze(object)).toThrow(TypeError);
  expect(textOf(JSON.parse("{}") as object)).toBeUndefined();
});

test("objects are found in lists, in choices and in none, and one without a text is refused", () => {
  expect(holdsObjects(LedgerService.method.listPayments.output)).toBe(true);
  expect(holdsObjects(LedgerService.method.getSeal.output)).toBe(false);
  const body = create(EventBodySchema, { data: { payment: { metadata: { a: [1] } } } });
  const sent = withTexts(EventBodySchema, body);
  expect(sent).toMatchObject({ data: { payment: { metadata: { "": '{"a":[1]}' } } } });
  expect(body.data?.payment?.metadata).toEqual({ a: [1] });
  expect(withObjects(EventBodySchema, sent)).toEqual(body);
  expect(() => withObjects(EventBodySchema, body)).toThrow("an object has no text");
});
