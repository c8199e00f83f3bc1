import { describe, expect, test } from "vitest";
import { readPayable } from "../../src/providers/pagarme/messages.ts";
import { settlementOf } from "../../src/providers/pagarme/settlement.ts";

const CREDIT = {
  id: "1",
  type: "credit",
  status: "waiting_funds",
  amount: 3335,
  fee: 133,
  anticipation_fee: 0,
  fraud_coverage_fee: 7,
  installment: 1,
  payment_date: "2026-08-13T00:00:00Z",
  created_at: "2026-07-14T15:00:00Z",
};

const told = (...changes: readonly object[]) =>
  settlementOf(changes.map((one) => readPayable({ ...CREDIT, ...one }))).installments;
const first = (...changes: readonly object[]) => told({}, ...changes)[0];
const DEBIT = { fee: 0, fraud_coverage_fee: 0 };

describe("an installment at Pagar.me", () => {
  test("has its fees, its net and the day on which it is expected", () => {
    expect(first()).toEqual({
      installment: 1,
      grossMinor: 3335n,
      feeMinor: 140n,
      anticipationFeeMinor: 0n,
      netMinor: 3195n,
      refundedMinor: 0n,
      chargedBackMinor: 0n,
      dueOn: "2026-08-13",
      paidOn: null,
    });
  });

  test.each([
    ["waiting_funds", null],
    ["prepaid", "2026-08-13"],
    ["suspended", null],
    ["something_new", null],
    ["paid", "2026-08-13"],
  ])("that is %s reached the balance on %s", (status, paidOn) => {
    expect(told({ status })).toMatchObject([{ dueOn: "2026-08-13", paidOn }]);
  });

  test.each(["2026-08-13T00:00:00Z", "2026-08-13T03:00:00.000Z", "2026-08-13T00:00:00"])(
    "is expected on the day that %s is, a midnight in UTC or in São Paulo",
    (midnight) => expect(told({ payment_date: midnight })).toMatchObject([{ dueOn: "2026-08-13" }]),
  );

  test("costs a fee for being paid before its day", () => {
    expect(
      told({ anticipation_fee: 95, status: "paid", payment_date: "2026-07-15T00:00:00Z" }),
    ).toMatchObject([
      { anticipationFeeMinor: 95n, netMinor: 3100n, dueOn: "2026-07-15", paidOn: "2026-07-15" },
    ]);
  });

  test("has what was refunded and charged back, less what came again, whatever the signs are", () => {
    const refund = { ...DEBIT, type: "refund", amount: -1000 };
    const back = { ...DEBIT, type: "refund_reversal", amount: 400 };
    expect(first(refund, back)).toMatchObject({ grossMinor: 3335n, refundedMinor: 600n });
    const contest = { ...DEBIT, type: "chargeback", amount: 3335 };
    expect(first(contest)).toMatchObject({ chargedBackMinor: 3335n, refundedMinor: 0n });
    const won = { ...DEBIT, type: "chargeback_refund", amount: 3335 };
    expect(first(contest, won)).toMatchObject({ chargedBackMinor: 0n, netMinor: 3195n });
  });

  test("costs less where a refund gives its fee back", () => {
    expect(first({ ...DEBIT, type: "refund", amount: -3335, fee: -133 })).toMatchObject({
      feeMinor: 7n,
      netMinor: 3328n,
    });
  });

  test("of several recipients is all of theirs, and is paid when each part is", () => {
    const parts = [
      { status: "paid", amount: 1000 },
      { id: "2", amount: 2335, payment_date: "2026-08-14T00:00:00Z" },
    ];
    expect(told(...parts)).toMatchObject([{ grossMinor: 3335n, dueOn: "2026-08-14", paidOn: null }]);
  });

  test("is told in its order, and is the first one where its number is left out", () => {
    expect(told({ installment: 2 }, {}).map(({ installment }) => installment)).toEqual([1, 2]);
    expect(told({ installment: null })).toMatchObject([{ installment: 1 }]);
  });

  test.each([
    { type: "something_new" },
    { type: "toString" },
    { ...DEBIT, type: "refund", amount: -1, installment: 2 },
    { fee: 1.5 },
    { fee: "133" },
    { amount: null },
    { status: null },
    { payment_date: "soon" },
  ])("that cannot be read is a fault: %o", (changes) => {
    expect(() => told({}, changes)).toThrow(expect.objectContaining({ code: "unreadable" }));
  });
});
