import { create, equals, fromBinary, toBinary } from "@bufbuild/protobuf";
import fc from "fast-check";
import { expect, test, vi } from "vitest";
import { objectOf, textOf } from "../../../contract/json-text.ts";
import {
  AS_TEXTS,
  OBJECTS_HEADER,
  holdsObjects,
  holdsTexts,
  withObjects,
  withTexts,
} from "../../../contract/object-texts.ts";
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
import { contract, TEXTS } from "./planted-contract.ts";

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

test("texts of up to 1024 characters are parsed at once, and longer ones kept", () => {
  const textOfLength = (length: number): string => `{"a":"${"x".repeat(length - 8)}"}`;
  const parse = vi.spyOn(JSON, "parse");
  const [short, long] = [objectOf(textOfLength(1024)), objectOf(textOfLength(1025))];
  const early = parse.mock.calls.length;
  expect(long["a"]).toBe("x".repeat(1017));
  expect(Object.keys(long)).toEqual(["a"]);
  const late = parse.mock.calls.length;
  parse.mockRestore();
  expect([early, late]).toEqual([1, 2]);
  expect([textOf(short), textOf(long)?.length]).toEqual([undefined, 1025]);
});

test("a kept text's object gives each of its members first, however it is asked", () => {
  const kept = () => objectOf(JSON.stringify({ a: LONG }));
  expect("a" in kept()).toBe(true);
  expect(Object.keys(kept())).toEqual(["a"]);
  expect(Object.getOwnPropertyDescriptor(kept(), "a")?.value).toBe(LONG);
  expect({ ...kept() }).toEqual({ a: LONG });
  expect(() => Object.defineProperty(kept(), "b", { value: 1, configurable: true })).toThrow(TypeError);
  expect(() => Object.preventExtensions(kept())).toThrow(TypeError);
});

const FREE = { name: "free", type: "TYPE_MESSAGE", typeName: ".google.protobuf.Struct" };
const long = () => objectOf(JSON.stringify({ a: LONG }));

test("texts are held by a message only if one of its objects is kept as one", () => {
  const desc = ListPaymentsResponseSchema;
  const short = () => ({ a: "1" });
  const [before, after] = [page(["", ""], long), page(["", ""], short)];
  expect([holdsTexts(desc, before), holdsTexts(desc, after), holdsTexts(desc, page([], long))]).toEqual([
    true,
    false,
    false,
  ]);
  const mixed = create(desc, { data: [...before.data.slice(1), ...after.data], hasMore: false });
  expect(holdsTexts(desc, mixed)).toBe(true);
  const none = contract({ answered: [TEXTS] }).answered;
  expect(holdsTexts(none, create(none, { texts: ["a"] }))).toBe(false);
});

test("an object in a choice is a text if it is the chosen one, and other members are as they were", () => {
  const members = [
    { ...FREE, oneofIndex: 0 },
    { name: "word", type: "TYPE_STRING", oneofIndex: 0 },
  ];
  const { answered: desc } = contract({ answered: [...members, TEXTS] });
  expect(holdsObjects(desc)).toBe(true);
  const chosen = create(desc, { choice: { case: "free", value: { a: 1 } }, texts: ["b"] });
  const sent = withTexts(desc, chosen);
  expect(sent).toMatchObject({ choice: { case: "free", value: { "": '{"a":1}' } }, texts: ["b"] });
  expect(chosen).toMatchObject({ choice: { value: { a: 1 } } });
  expect(equals(desc, withObjects(desc, sent) as never, chosen)).toBe(true);
  for (const choice of [{ case: "word", value: "w" }, { case: undefined }]) {
    const other = create(desc, { choice, texts: ["b"] });
    expect(withTexts(desc, other)).toEqual(other);
  }
});

test("an object that is not given is none, and a message that can hold none stays the same", () => {
  const { answered: desc } = contract({ answered: [{ ...FREE, proto3Optional: false }] });
  expect(withTexts(desc, create(desc))).toEqual(create(desc));
  const none = contract({ answered: [TEXTS] }).answered;
  const message = create(none, { texts: ["a"] });
  expect(withTexts(none, message)).toBe(message);
});

test("a list of objects is refused, and a map of what holds them; a map of words holds none", () => {
  const list = contract({ answered: [{ ...FREE, label: "LABEL_REPEATED" }] }).answered;
  expect(() => holdsObjects(list)).toThrow("only single objects can be texts");
  const map = { name: "map", label: "LABEL_REPEATED", type: "TYPE_MESSAGE" };
  const words = contract({ answered: [{ ...map, typeName: ".planted.Answered.WordsEntry" }] }).answered;
  expect(holdsObjects(words)).toBe(false);
  const asked = { ...map, typeName: ".planted.Answered.AskedEntry" };
  const holders = contract({ asked: [FREE], answered: [asked] }).answered;
  expect(() => holdsObjects(holders)).toThrow("no map holds objects");
});

test("messages that hold none stay as they are beside an object, and within themselves", () => {
  const message = { type: "TYPE_MESSAGE" };
  const single = { ...message, name: "single", typeName: ".planted.Single" };
  const { answered: desc } = contract({ answered: [single, FREE] });
  const sent = withTexts(desc, create(desc, { single: { texts: "a" }, free: { a: 1 } }));
  expect(sent).toMatchObject({ single: { texts: "a" }, free: { "": '{"a":1}' } });
  const own = contract({ answered: [{ ...message, name: "own", typeName: ".planted.Answered" }] }).answered;
  expect(holdsObjects(own)).toBe(false);
});

test("a kept text is written without being parsed", () => {
  const whole = page(["1", "2"], long);
  const parse = vi.spyOn(JSON, "parse");
  const written = write(whole);
  const parsed = parse.mock.calls.length;
  parse.mockRestore();
  expect(written).toContain(LONG);
  expect(parsed).toBe(0);
});

test("gateway and core of two versions know each other's header", () => {
  expect([OBJECTS_HEADER, AS_TEXTS]).toEqual(["paylink-objects", "texts"]);
});

test("an object whose text is no text is refused", () => {
  const desc = ListPaymentsResponseSchema;
  expect(() =>
    withObjects(
      desc,
      page([""], () => ({ "": 1 })),
    ),
  ).toThrow("an object has no text");
});
