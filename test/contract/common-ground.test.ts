import type { DescEnum } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { decimalText } from "../../contract/decimal.ts";
import { enumWords, wordsOf } from "../../contract/enum-words.ts";
import { CONNECT_CODES, STATUSES } from "../../contract/error-codes.ts";
import { HEADERS } from "../../contract/headers.ts";
import { idPattern, isId, newId } from "../../contract/ids.ts";
import { pictureId, pictureName } from "../../contract/picture-name.ts";
import { SCOPES } from "../../contract/scopes.ts";
import { messagesIn } from "../../gateway/console/keys/messages.ts";
import { routesOf } from "../../gateway/transcode/route.ts";
import { DeclineCode, DeclineCodeSchema } from "../../gen/paylink/ledger/v1/ledger_pb.ts";
import { PaymentMethod, PaymentMethodSchema } from "../../gen/paylink/pricing/v1/pricing_pb.ts";
import { Role, RoleSchema } from "../../gen/paylink/identity/v1/users_pb.ts";
import { CORE_SERVICES } from "../../src/rooms.ts";

describe("ids", () => {
  test("a new id has the shape that its prefix's pattern describes, and no other prefix's", () => {
    const id = newId("pay");
    expect(isId("pay", id)).toBe(true);
    expect(isId("pl", id)).toBe(false);
    expect(id).toMatch(new RegExp(idPattern("pay")));
    expect(id).toMatch(new RegExp(idPattern()));
    expect(isId("pay", `${id}0`)).toBe(false);
  });

  test("ids ascend, also those of one millisecond", () => {
    const ids = Array.from({ length: 5000 }, () => newId("fxs"));
    expect(ids.toSorted()).toEqual(ids);
    expect(new Set(ids).size).toBe(ids.length);
  });

  test("a picture's name leads back to its id, and other names lead to none", () => {
    const id = newId("med");
    expect(pictureId(pictureName(id))).toBe(id);
    for (const name of [id, `${id}.png`, `${newId("pay")}.webp`, ".webp"])
      expect(pictureId(name)).toBeUndefined();
  });
});

test.each<[Readonly<Record<string, number>>, DescEnum]>([
  [DeclineCode, DeclineCodeSchema],
  [PaymentMethod, PaymentMethodSchema],
  [Role, RoleSchema],
])("the typed words of an enum are those of its descriptor", (generated, desc) => {
  const [typed, described] = [wordsOf(generated), enumWords(desc)];
  expect([...typed.all]).toEqual([...described.wordOf.values()]);
  for (const [number, word] of described.wordOf) {
    expect(typed.knownWordOf(number)).toBe(word);
    expect(typed.numberOf(word)).toBe(number);
  }
  expect(typed.wordOf(0)).toBeUndefined();
  expect(typed.numberOf("unspecified")).toBeUndefined();
  expect(() => typed.knownWordOf(0)).toThrow(RangeError);
});

test("the scopes of keys are those that the routes require", () => {
  const required = routesOf(CORE_SERVICES).flatMap(({ scope }) => (scope === "" ? [] : [scope]));
  expect([...SCOPES].toSorted()).toEqual([...new Set(required)].toSorted());
});

test("every scope has a message in both languages", () => {
  for (const language of ["pt-BR", "en"] as const) {
    const t = messagesIn(language) as (key: string) => string;
    for (const scope of SCOPES) expect(t(scope)).not.toBe("");
  }
});

test.each([
  [0n, 2, "0.00"],
  [5n, 2, "0.05"],
  [-5n, 2, "-0.05"],
  [123_456, 2, "1234.56"],
  [5_432_100n, 6, "5.432100"],
  [9_007_199_254_740_993n, 2, "90071992547409.93"],
])("%s with %s digits is written %s", (value, digits, text) => {
  expect(decimalText(value, digits)).toBe(text);
});

test("names of headers are in lower case, as Node gives them, and none is there twice", () => {
  const names = Object.values(HEADERS);
  expect(names).toEqual(names.map((name) => name.toLowerCase()));
  expect(new Set(names).size).toBe(names.length);
});

test("a code of the core that is public has the HTTP status of its kind", () => {
  expect(STATUSES.payment_not_found).toBe(404);
  expect(STATUSES.idempotency_key_reuse).toBe(409);
  expect(Object.keys(CONNECT_CODES)).not.toContain("rate_limited");
  expect(Object.keys(STATUSES)).not.toContain("user_exists");
});
