import { describe, expect, test } from "vitest";
import { bookSuccess } from "../../src/ledger/booking.ts";
import type { PaymentRow } from "../../src/ledger/entities.ts";
import { successLines, type Line } from "../../src/ledger/postings.ts";
import type { PriceValues } from "../../src/pricing/entities.ts";
import type { Currency } from "../../src/pricing/fee-rule.ts";
import { writtenLine } from "./written-line.ts";

/** A row of the pricing page's table of vectors: what is absent is 0. */
interface Row {
  P: Currency;
  F: bigint;
  S?: bigint;
  I?: bigint;
  T: bigint;
  N: bigint;
  payer: bigint;
  receiver: [bigint, Currency];
}

const vectors: [name: string, row: Row, lines: string[]][] = [
  [
    "BRL to BRL pix absorb 15990",
    { P: "BRL", F: 198n, T: 15_990n, N: 15_792n, payer: 15_990n, receiver: [15_792n, "BRL"] },
    ["Dr provider_clearing:BRL 15990", "Cr merchant_payable:BRL 15792", "Cr revenue.service:BRL 198"],
  ],
  [
    "BRL to BRL card 12x pass_through 100000",
    {
      P: "BRL",
      F: 4706n,
      S: 12_271n,
      T: 116_977n,
      N: 100_000n,
      payer: 116_977n,
      receiver: [100_000n, "BRL"],
    },
    [
      "Dr provider_clearing:BRL 116977",
      "Cr merchant_payable:BRL 100000",
      "Cr revenue.service:BRL 4706",
      "Cr revenue.installment:BRL 12271",
    ],
  ],
  [
    "USD to USD pix absorb 10000, IOF off",
    { P: "USD", F: 229n, T: 10_000n, N: 9771n, payer: 55_136n, receiver: [9771n, "USD"] },
    [
      "Dr provider_clearing:BRL 55136",
      "Cr fx_position:BRL 55136",
      "Dr fx_position:USD 10000",
      "Cr merchant_payable:USD 9771",
      "Cr revenue.service:USD 229",
    ],
  ],
  [
    "USD to USD pix pass_through 10000, IOF on",
    { P: "USD", F: 241n, I: 350n, T: 10_591n, N: 10_000n, payer: 58_395n, receiver: [10_000n, "USD"] },
    [
      "Dr provider_clearing:BRL 58395",
      "Cr fx_position:BRL 58395",
      "Dr fx_position:USD 10591",
      "Cr merchant_payable:USD 10000",
      "Cr revenue.service:USD 241",
      "Cr tax_payable.iof:USD 350",
    ],
  ],
  [
    "USD to BRL pix pass_through 10000",
    { P: "BRL", F: 592n, T: 55_728n, N: 55_136n, payer: 55_728n, receiver: [55_136n, "BRL"] },
    ["Dr provider_clearing:BRL 55728", "Cr merchant_payable:BRL 55136", "Cr revenue.service:BRL 592"],
  ],
  [
    "BRL to USD pix absorb 55000, IOF on",
    { P: "BRL", F: 585n, I: 1841n, T: 55_000n, N: 52_574n, payer: 55_000n, receiver: [9535n, "USD"] },
    [
      "Dr provider_clearing:BRL 55000",
      "Cr fx_position:BRL 52574",
      "Dr fx_position:USD 9535",
      "Cr merchant_payable:USD 9535",
      "Cr revenue.service:BRL 585",
      "Cr tax_payable.iof:BRL 1841",
    ],
  ],
  [
    "minimum: BRL pix absorb 1000",
    { P: "BRL", F: 100n, T: 1000n, N: 900n, payer: 1000n, receiver: [900n, "BRL"] },
    ["Dr provider_clearing:BRL 1000", "Cr merchant_payable:BRL 900", "Cr revenue.service:BRL 100"],
  ],
  [
    "maximum: BRL pix absorb 2000000",
    { P: "BRL", F: 15_000n, T: 2_000_000n, N: 1_985_000n, payer: 2_000_000n, receiver: [1_985_000n, "BRL"] },
    ["Dr provider_clearing:BRL 2000000", "Cr merchant_payable:BRL 1985000", "Cr revenue.service:BRL 15000"],
  ],
];

function linesOf({ P, F, S = 0n, I = 0n, T, N, payer, receiver }: Row): Line[] {
  return successLines({
    pricingCurrency: P,
    grossMinor: T,
    netMinor: N,
    serviceFeeMinor: F,
    installmentSurchargeMinor: S,
    iofAmountMinor: I,
    payerTotalMinor: payer,
    receiverNetMinor: receiver[0],
    receiverCurrency: receiver[1],
  });
}

describe("successLines books the pricing page's examples", () => {
  test.each(vectors)("%s", (_, row, lines) => {
    expect(linesOf(row).map(writtenLine).toSorted()).toEqual(lines.toSorted());
  });

  test("without a line for a fee of nothing", () => {
    const row: Row = { P: "BRL", F: 0n, T: 500n, N: 500n, payer: 500n, receiver: [500n, "BRL"] };
    const lines = ["Dr provider_clearing:BRL 500", "Cr merchant_payable:BRL 500"];
    expect(linesOf(row).map(writtenLine)).toEqual(lines);
  });
});

test("a success is booked at its own time, not its payment's, on that day in São Paulo, with its lines numbered", () => {
  const price = {
    pricingCurrency: "BRL",
    receiverCurrency: "BRL",
    payerTotalMinor: 500n,
    grossMinor: 500n,
  } as PriceValues;
  const of = {
    ...price,
    netMinor: 400n,
    serviceFeeMinor: 100n,
    installmentSurchargeMinor: 0n,
    iofAmountMinor: 0n,
  };
  const [createdAt, updatedAt] = [new Date("2026-03-02T12:00:00Z"), new Date("2026-03-03T02:59:59Z")];
  const payment = { tenantId: "ten_1", id: "pay_1", createdAt, updatedAt } as PaymentRow;
  const whose = { tenantId: "ten_1", paymentId: "pay_1" };
  expect(bookSuccess(payment, of, 2)).toMatchObject([
    { kind: "insert", row: { ...whose, kind: "payment", bookedAt: updatedAt } },
    { kind: "insertAll", rows: [1, 2, 3].map((number) => ({ ...whose, kind: "payment", number })) },
    { kind: "insert", row: { ...whose, succeededOn: "2026-03-02", termDays: 2, settledAt: null } },
  ]);
  const [made] = bookSuccess({ ...payment, updatedAt: null }, of, 2);
  expect(made).toMatchObject({ row: { bookedAt: createdAt } });
});
