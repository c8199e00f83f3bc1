import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { PaymentSchema } from "../../gen/paylink/ledger/v1/ledger_pb.ts";
import { FxSchema } from "../../gen/paylink/pricing/v1/pricing_pb.ts";
import type { KeptSum } from "../../src/closes/entities.ts";
import { FORMAT_VERSION, isSameRow, sealFormat } from "../../src/closes/seal-format.ts";
import { headSha256, sumTexts } from "../../src/closes/seal-head.ts";
import { sealedState } from "../../src/closes/sealed-state.ts";

describe("a seal's format", () => {
  test("knows every field of the Payment that there is today: a new field needs a new version", () => {
    const format = sealFormat(FORMAT_VERSION);
    expect(PaymentSchema.fields.map(({ name }) => name)).toEqual(format.payment);
    expect(FxSchema.fields.map(({ name }) => name)).toEqual(format.fx);
  });

  test("is what rows are compared by: a field that it does not know makes no delta", () => {
    const row = '{"id":"pay_1","status":"pending","fx":{"rate":5.1},"metadata":{"a":1}}';
    const wider =
      '{"id":"pay_1","status":"pending","fx":{"rate":5.1,"note":"n"},"risk":3,"metadata":{"a":1}}';
    expect(isSameRow(1, row, row)).toBe(true);
    expect(isSameRow(1, row, wider)).toBe(true);
    const withId = row.replace(',"metadata"', ',"end_to_end_id":"E1","metadata"');
    expect([1, 2, 3].map((version) => isSameRow(version, row, withId))).toEqual([true, true, false]);
    for (const [from, to] of [
      ['"pending"', '"succeeded"'],
      ["5.1", "5.2"],
      ['{"a":1}', '{"a":2}'],
      [',"fx":{"rate":5.1}', ""],
    ] as const) {
      expect(isSameRow(1, row, row.replace(from, to))).toBe(false);
    }
    expect(() => isSameRow(4, row, wider)).toThrow("no format 4 of sealed rows");
  });

  test.each(['"fx":null', '"fx":[1]', '"fx":"x"', '"status":"pending"'])(
    "takes %s for no fx, which is another row than one with fx",
    (none) => {
      const [first, second] = [`{"id":"pay_1",${none}}`, `{${none},"id":"pay_1"}`];
      expect(isSameRow(1, first, second)).toBe(true);
      expect(isSameRow(1, first, `{"id":"pay_1",${none.replace(/"fx".*/, '"fx":{}')},"fx":{"rate":1}}`)).toBe(
        false,
      );
    },
  );

  test("does not mind in which order a row names its fields, of a payment or of its fx", () => {
    const row = '{"id":"pay_1","amount":1,"fx":{"rate":5.1,"base":"USD"}}';
    expect(isSameRow(1, row, '{"fx":{"base":"USD","rate":5.1},"amount":1,"id":"pay_1"}')).toBe(true);
  });
});

describe("the head of a seal", () => {
  const sum: KeptSum = {
    grossCurrency: "BRL",
    netCurrency: "USD",
    feeCurrency: "BRL",
    method: "pix",
    status: "succeeded",
    paymentCount: "2",
    grossMinor: "300",
    feeMinor: "20",
    netMinor: "50",
  };
  const seal = {
    tenantId: "ten_1",
    day: "2026-03-02",
    formatVersion: 1,
    paymentCount: 2n,
    byteCount: 900n,
    rowsSha256: "ab",
    sums: [sum],
    sealedBy: null,
    sealedAt: new Date("2026-03-05T12:00:00Z"),
  };
  const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");
  const SUM = String.raw`[\"BRL\",\"USD\",\"BRL\",\"pix\",\"succeeded\",\"2\",\"300\",\"20\",\"50\"]`;

  test("is hashed as one text, which never changes", () => {
    const rest = `"ten_1","2026-03-02",1,"2","900","ab",["${SUM}"],"2026-03-05T12:00:00.000Z"`;
    expect(headSha256("test", seal)).toBe(sha256(`["test",${rest},null]`));
    expect(headSha256("live", { ...seal, sealedBy: "usr_1" })).toBe(sha256(`["live",${rest},"usr_1"]`));
  });

  test("is the same for any order of its sums", () => {
    const other = { ...sum, method: "card" as const };
    const of = (sums: KeptSum[]) => headSha256("test", { ...seal, sums });
    expect(of([sum, other])).toBe(of([other, sum]));
    expect(sumTexts([sum, other])).toEqual(sumTexts([other, sum]));
    expect(of([sum, other])).not.toBe(of([sum]));
  });
});

test("where a payment stood is its id, its status and the second of its last change", () => {
  const payment = { id: "pay_1", status: "pending" as const, refundedMinor: 0n };
  expect(sealedState({ ...payment, updatedAt: 1_772_000_000 })).toBe("pay_1 pending 1772000000");
  expect(sealedState({ ...payment, updatedAt: 1_772_000_000, refundedMinor: 5n })).toBe(
    "pay_1 pending 1772000000 5",
  );
  expect(sealedState({ ...payment, updatedAt: null })).toBe("pay_1 pending ");
});
