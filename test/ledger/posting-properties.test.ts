import { deepStrictEqual } from "node:assert/strict";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { successLines, type Line } from "../../src/ledger/postings.ts";
import {
  type Currency,
  type FeeHandling,
  type PaymentMethod,
  feeRuleProblem,
  needsConversion,
} from "../../src/pricing/fee-rule.ts";
import { computePrice, isNetPositive, type PriceInput } from "../../src/pricing/price.ts";
import { writtenLine } from "./written-line.ts";

const upTo = (max: bigint, min = 0n) => fc.bigInt({ min, max });
const MAX_AMOUNT = 999_999_999_999n;
const pairs: readonly (readonly [Currency, Currency])[] = [
  ["BRL", "BRL"],
  ["BRL", "USD"],
  ["USD", "BRL"],
  ["USD", "USD"],
];

const rules = fc
  .record({
    percentPpm: fc.oneof(fc.constant(0n), upTo(250_000n)),
    fixedMinor: upTo(20_000n),
    minMinor: fc.oneof(fc.constant(0n), upTo(20_000n)),
    maxRoomMinor: fc.option(upTo(20_000n), { nil: null }),
    surchargePpm: fc.oneof(fc.constant(0n), upTo(250_000n)),
  })
  .map(({ maxRoomMinor, ...rule }) => ({
    ...rule,
    maxMinor: maxRoomMinor === null ? null : rule.minMinor + maxRoomMinor,
  }));

const inputs: fc.Arbitrary<PriceInput> = fc
  .record({
    amountMinor: fc.oneof(upTo(300n, 1n), upTo(100_000n, 1n), upTo(MAX_AMOUNT, 1n)),
    pair: fc.constantFrom(...pairs),
    method: fc.constantFrom<PaymentMethod>("pix", "ted", "card", "card"),
    cardInstallments: fc.integer({ min: 1, max: 21 }),
    feeHandling: fc.constantFrom<FeeHandling>("absorb", "pass_through"),
    rule: rules,
    rateMicros: fc.oneof(upTo(6_500_000n, 4_500_000n), upTo(1_000_000_000n, 1n)),
    iof: fc.record({ ppm: fc.oneof(fc.constant(35_000n), upTo(1_000_000n)), enabled: fc.boolean() }),
  })
  .map(({ pair: [currency, payoutCurrency], cardInstallments, rule, rateMicros, ...rest }) => {
    const installments = rest.method === "card" ? cardInstallments : 1;
    const surchargePpm = Array.from({ length: installments }, (_, index) =>
      index === 0 ? 0n : rule.surchargePpm,
    );
    return {
      ...rest,
      currency,
      payoutCurrency,
      installments,
      rule: { ...rule, surchargePpm },
      rateMicros: needsConversion(currency, payoutCurrency) ? rateMicros : null,
    };
  });

/** Holds of 10,000 payments that could be made: their rule may be entered and their net is positive. */
function always(holds: (input: PriceInput, lines: Line[]) => void): void {
  const payable = inputs.filter((input) => isNetPositive(computePrice(input)));
  fc.assert(
    fc.property(payable, (input) => holds(input, successLines(computePrice(input)))),
    { numRuns: 10_000 },
  );
}

/** Debits less credits of each account and currency. */
function balances(lines: readonly Line[]): Map<string, bigint> {
  const sums = new Map<string, bigint>();
  for (const { account, currency, debitMinor, creditMinor } of lines) {
    const name = `${account}:${currency}`;
    sums.set(name, (sums.get(name) ?? 0n) + debitMinor - creditMinor);
  }
  return sums;
}

describe("successLines of any price", () => {
  test("are made of every pair of currencies, method, installments and fee handling", () => {
    const seen = new Set<string>();
    always(({ currency, payoutCurrency, method, installments, feeHandling, rule }) => {
      expect(feeRuleProblem(method, rule)).toBeUndefined();
      seen.add(`${currency} ${payoutCurrency} ${method} ${installments} ${feeHandling}`);
    });
    expect(seen.size).toBe(4 * (21 + 1 + 1) * 2);
  });

  test("sum to zero in every currency", () => {
    always((_, lines) => {
      for (const currency of ["BRL", "USD"]) {
        const own = lines.filter((line) => line.currency === currency);
        const sum = own.reduce((total, { debitMinor, creditMinor }) => total + debitMinor - creditMinor, 0n);
        expect(sum).toBe(0n);
      }
    });
  });

  test("have one side each, above zero, and an account of a currency once only", () => {
    always((_, lines) => {
      for (const { debitMinor, creditMinor } of lines) {
        expect(debitMinor > 0n ? creditMinor : debitMinor).toBe(0n);
        expect(debitMinor + creditMinor).toBeGreaterThan(0n);
      }
      expect(balances(lines).size).toBe(lines.length);
    });
  });

  test("credit the merchant with the net, debit the provider with the payer's total, and keep each fee apart", () => {
    always((input, lines) => {
      const price = computePrice(input);
      const { pricingCurrency: P, receiverCurrency } = price;
      const expected = new Map([
        ["provider_clearing:BRL", price.payerTotalMinor],
        [`merchant_payable:${receiverCurrency}`, -price.receiverNetMinor],
        [`revenue.service:${P}`, -price.serviceFeeMinor],
        [`revenue.installment:${P}`, -price.installmentSurchargeMinor],
        [`tax_payable.iof:${P}`, -price.iofAmountMinor],
      ]);
      const found = [...balances(lines)].filter(([name]) => !name.startsWith("fx_position"));
      deepStrictEqual(new Map(found), new Map([...expected].filter(([, minor]) => minor !== 0n)));
    });
  });

  test("touch the position exactly when the payer's currency is not the payout's, in both currencies", () => {
    always(({ payoutCurrency }, lines) => {
      const position = lines.filter(({ account }) => account === "fx_position").map(writtenLine);
      expect(position.map((line) => line.slice(0, "Cr fx_position:BRL".length)).toSorted()).toEqual(
        payoutCurrency === "USD" ? ["Cr fx_position:BRL", "Dr fx_position:USD"] : [],
      );
    });
  });
});
