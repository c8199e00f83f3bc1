import { describe, expect, test } from "vitest";
import { contractedFee } from "../../../src/reconciliation/matching/fees.ts";
import type { ContractedFee } from "../../../src/reconciliation/matching/lines.ts";
import { account, matched, our, shownDifferences, shownMatches, their } from "./sides.ts";

const row = (values: Partial<ContractedFee>): ContractedFee => ({
  kind: "card",
  brand: null,
  installmentsFrom: 1,
  installmentsTo: 1,
  percentPpm: 0n,
  fixedMinor: 0n,
  ...values,
});
const fees = [
  row({ kind: "pix", percentPpm: 9_900n }),
  row({ percentPpm: 39_900n, fixedMinor: 39n }),
  row({ percentPpm: 35_000n, brand: "Elo" }),
  row({ percentPpm: 49_900n, fixedMinor: 39n, installmentsFrom: 2, installmentsTo: 6 }),
];
const fee = (
  kind: string,
  {
    brand = null,
    installments = 1,
    installment = null,
  }:
    | Record<string, never>
    | {
        brand?: string | null;
        installments?: number;
        installment?: number | null;
      } = {},
) => contractedFee(fees, { amountMinor: 10_050n, installment, terms: { kind, brand, installments } });

describe("contractedFee", () => {
  test("goes by kind, brand and installments, with half a centavo up", () => {
    expect(fee("pix")).toBe(99n);
    expect(fee("card", { brand: "visa" })).toBe(401n + 39n);
    expect(fee("card", { brand: "elo" })).toBe(352n);
    expect(fee("card", { installments: 6, installment: 1 })).toBe(501n + 39n);
    expect(fee("card", { installments: 6, installment: 2 })).toBe(501n);
    expect(fee("card", { installments: 7, installment: 1 })).toBeUndefined();
    expect(fee("boleto")).toBeUndefined();
  });
});

describe("fee audit", () => {
  const accounts = [{ ...account, fees }];
  const terms = { kind: "card", brand: "visa", installments: 1 };
  const charge = { paymentId: "pay_1", providerPaymentId: "ch_1" };
  const payment = our("payment pay_1", 10_000, { ...charge, terms });
  const theirs = (charged: number) => [
    their("m1", 10_000, { providerPaymentId: "ch_1" }),
    their("m2", -charged, { providerPaymentId: "ch_1", kind: "fee" }),
  ];

  test("a fee as agreed is matched", () => {
    const found = matched({ accounts, ours: [payment], theirs: theirs(438) });
    expect(shownMatches(found)).toEqual([
      "reference: fee of payment pay_1 = m2",
      "reference: payment pay_1 = m1",
    ]);
    expect(found.differences).toEqual([]);
  });

  test("another one is named with what was agreed and what was charged", () => {
    const [difference] = matched({ accounts, ours: [payment], theirs: theirs(439) }).differences;
    expect(difference).toMatchObject({
      kind: "fee_differs",
      amountMinor: -1n,
      fee: { expectedMinor: -438n, chargedMinor: -439n },
      theirs: [{ id: "m2" }],
    });
  });

  test("the fee in our books, which repeats the provider's, does not hide an overcharge", () => {
    const booked = our("fee pay_1", -439, { ...charge, kind: "fee" });
    const found = matched({ accounts, ours: [payment, booked], theirs: theirs(439) });
    expect(shownDifferences(found)).toEqual(["fee_differs -1: fee of payment pay_1 + m2"]);
  });

  test("a fee without a contract is as our books have it, and else missing here", () => {
    const booked = our("fee pay_1", -439, { ...charge, kind: "fee" });
    expect(matched({ ours: [payment, booked], theirs: theirs(439) }).differences).toEqual([]);
    expect(shownDifferences(matched({ ours: [payment], theirs: theirs(439) }))).toEqual([
      "missing_here -439: m2",
    ]);
  });
});
