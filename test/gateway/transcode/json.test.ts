import { create } from "@bufbuild/protobuf";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  FxSchema,
  ListSigningKeysResponseSchema,
  MoneySchema,
} from "../../../gen/paylink/pricing/v1/pricing_pb.ts";
import { PaymentSchema } from "../../../gen/paylink/ledger/v1/ledger_pb.ts";
import { PublicError } from "../../../gateway/transcode/errors.ts";
import { NumberToken, readJson, type Json } from "../../../gateway/transcode/json-reader.ts";
import { messageWriter } from "../../../gateway/transcode/message-writer.ts";

function plain(value: Json): unknown {
  if (value instanceof NumberToken) return Number(value.text);
  if (Array.isArray(value)) return value.map(plain);
  if (value instanceof Map) return Object.fromEntries([...value].map(([key, item]) => [key, plain(item)]));
  return value;
}

describe("readJson", () => {
  test("reads what JSON.parse reads", () => {
    const value = fc.jsonValue({ maxDepth: 5 }).filter((each) => !JSON.stringify(each).includes("\\u0000"));
    fc.assert(
      fc.property(value, (each) => {
        const text = JSON.stringify(each);
        // JSON.stringify loses the sign of -0; both sides start from the text.
        expect(plain(readJson(Buffer.from(text)))).toEqual(JSON.parse(text));
      }),
      { numRuns: 2000 },
    );
  });

  test("refuses with its own error alone, and only what JSON.parse refuses or the contract does", () => {
    const piece = fc.constantFrom(
      "{",
      "}",
      "[",
      "]",
      '"',
      ":",
      ",",
      "1",
      "-",
      "e",
      ".",
      "\\u",
      "00",
      "true",
      "nul",
      " ",
      "a",
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const text = pieces.join("");
        let read: unknown;
        try {
          read = plain(readJson(Buffer.from(text)));
        } catch (error) {
          expect(error).toBeInstanceOf(PublicError);
          return;
        }
        expect(read).toEqual(JSON.parse(text));
      }),
      { numRuns: 5000 },
    );
  });
});

describe("messageWriter", () => {
  test("a rate keeps its six decimals", () => {
    const write = messageWriter(FxSchema);
    for (const [rate, text] of [
      [5_513_582n, "5.513582"],
      [5_400_000n, "5.400000"],
      [1n, "0.000001"],
    ] as const) {
      expect(write(create(FxSchema, { rate, base: "USD", quote: "BRL", rateHistoryId: 1n }))).toBe(
        `{"rate":${text},"base":"USD","quote":"BRL","rate_history_id":1}`,
      );
    }
  });

  test("an integer beyond 2^53-1 is a fault of ours", () => {
    const write = messageWriter(MoneySchema);
    expect(write(create(MoneySchema, { amount: 2n ** 53n - 1n, currency: "BRL" }))).toContain(
      "9007199254740991",
    );
    expect(() => write(create(MoneySchema, { amount: 2n ** 53n, currency: "BRL" }))).toThrow(
      "9007199254740992",
    );
  });

  test("an enum that is not set is a fault of ours", () => {
    expect(() => messageWriter(PaymentSchema)(create(PaymentSchema))).toThrow("no word");
  });

  test("golden bytes of a Payment: order of fields, null where nullable, left out elsewhere", () => {
    const second = { seconds: 1_795_230_204n, nanos: 0 };
    const payment = create(PaymentSchema, {
      id: "pay_1",
      status: 3,
      createdAt: second,
      amount: 1n,
      currency: "BRL",
      grossAmount: 1n,
      grossCurrency: "BRL",
      feeAmount: 0n,
      feeCurrency: "BRL",
      netAmount: 1n,
      netCurrency: "BRL",
      feeHandling: 2,
      paymentMethod: 1,
      metadata: { z: 1, "10": "é\u2028", a: [null, { b: '"' }] },
    });
    expect(messageWriter(PaymentSchema)(payment)).toBe(
      '{"id":"pay_1","link_id":null,"status":"succeeded","reference":null,"created_at":1795230204,"updated_at":null,' +
        '"amount":1,"currency":"BRL","gross_amount":1,"gross_currency":"BRL","fee_amount":0,"fee_currency":"BRL",' +
        '"net_amount":1,"net_currency":"BRL","fee_handling":"pass_through","payment_method":"pix","installments":null,' +
        '"metadata":{"10":"é\u2028","z":1,"a":[null,{"b":"\\""}]}}',
    );
  });

  test("an empty list is written", () => {
    expect(messageWriter(ListSigningKeysResponseSchema)(create(ListSigningKeysResponseSchema))).toBe(
      '{"keys":[]}',
    );
  });
});
