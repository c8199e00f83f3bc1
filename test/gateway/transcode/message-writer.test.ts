import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Mode } from "../../../gen/paylink/identity/v1/identity_pb.ts";
import { BalanceSchema } from "../../../gen/paylink/ledger/v1/ledger_pb.ts";
import { PaymentLinkSchema, PaymentLinkStatus } from "../../../gen/paylink/links/v1/links_pb.ts";
import { FxSchema, MoneySchema, PaymentMethod } from "../../../gen/paylink/pricing/v1/pricing_pb.ts";
import { FX, FX_TEXT, LINK, write } from "./written.ts";

describe("numbers", () => {
  const rates: [bigint, string][] = [
    [0n, "0.000000"],
    [1n, "0.000001"],
    [999_999n, "0.999999"],
    [1_000_000n, "1.000000"],
    [5_500_000n, "5.500000"],
    [9_007_199_254_740_991n, "9007199254.740991"],
  ];
  test.each(rates)("a rate of %d micros is written %s", (rate, text) => {
    expect(write(FxSchema, { ...FX, rate })).toBe(FX_TEXT.replace("5.513582", text));
  });

  test("integers from -(2^53-1) to 2^53-1 are written, any beyond is an error and no wrong number", () => {
    const edge = 2n ** 53n - 1n;
    for (const amount of [edge, -edge, 0n, -1n]) {
      expect(write(MoneySchema, { amount, currency: "BRL" })).toBe(`{"amount":${amount},"currency":"BRL"}`);
    }
    for (const amount of [edge + 1n, -edge - 1n, 2n ** 63n - 1n]) {
      expect(() => write(MoneySchema, { amount, currency: "BRL" })).toThrow(`${amount}`);
    }
    expect(() => write(FxSchema, { ...FX, rate: edge + 1n })).toThrow(`${edge + 1n}`);
    expect(() => write(FxSchema, { ...FX, rate: -1n })).toThrow("-1");
  });

  test("a sum of amounts is written with all of its digits", () => {
    const edge = 2n ** 53n - 1n;
    for (const pending of [0n, edge, edge + 1n, -edge - 2n, 2n ** 63n - 1n]) {
      expect(write(BalanceSchema, { currency: "BRL", pending, available: -pending })).toBe(
        `{"currency":"BRL","pending":${pending},"available":${-pending}}`,
      );
    }
  });

  test("any amount is written with its own digits", () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(2n ** 53n) + 1n, max: 2n ** 53n - 1n }), (amount) => {
        expect(write(MoneySchema, { amount, currency: "USD" })).toBe(`{"amount":${amount},"currency":"USD"}`);
      }),
    );
  });

  test("any rate is written with exactly six decimals", () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 2n ** 53n - 1n }), (rate) => {
        const written = /^\{"rate":(\d+\.\d{6}),/.exec(write(FxSchema, { ...FX, rate }))?.[1];
        expect(BigInt((written ?? "").replace(".", ""))).toBe(rate);
        expect(written).toMatch(/^(0|[1-9]\d*)\./);
      }),
    );
  });
});

describe("what no answer may hold", () => {
  test("an unset or unknown enum", () => {
    expect(() => write(PaymentLinkSchema, { ...LINK, status: PaymentLinkStatus.UNSPECIFIED })).toThrow(
      "PaymentLinkStatus",
    );
    expect(() => write(PaymentLinkSchema, { ...LINK, mode: 99 as Mode })).toThrow("Mode");
    const methods = [PaymentMethod.PIX, PaymentMethod.UNSPECIFIED];
    expect(() => write(PaymentLinkSchema, { ...LINK, paymentMethods: methods })).toThrow("PaymentMethod");
  });
});

describe("texts and metadata", () => {
  test("any text comes back from the JSON as it was", () => {
    // The library's own unit of all characters needs seconds to begin.
    const character = fc
      .integer({ min: 0, max: 0x10_ff_ff })
      .filter((code) => code < 0xd8_00 || code > 0xdf_ff)
      .map((code) => String.fromCodePoint(code));
    fc.assert(
      fc.property(fc.string({ unit: character }), (reference) => {
        const text = write(PaymentLinkSchema, { ...LINK, reference });
        expect(JSON.parse(text)).toMatchObject({ reference });
      }),
      { numRuns: 300 },
    );
  });

  test("any metadata comes back from the JSON as it was", () => {
    const metadata = fc
      .dictionary(fc.string(), fc.jsonValue())
      .filter((value) => !JSON.stringify(value).includes("__proto__"))
      .map((value) => JSON.parse(JSON.stringify(value)) as Record<string, null>);
    fc.assert(
      fc.property(metadata, (value) => {
        expect(write(PaymentLinkSchema, { ...LINK, metadata: value })).toContain(
          `"metadata":${JSON.stringify(value)},"created"`,
        );
      }),
      { numRuns: 300 },
    );
  });

  test("metadata's own toJSON is a key like others", () => {
    expect(write(PaymentLinkSchema, { ...LINK, metadata: { toJSON: 1, constructor: { a: 2 } } })).toContain(
      '"metadata":{"toJSON":1,"constructor":{"a":2}}',
    );
  });
});
