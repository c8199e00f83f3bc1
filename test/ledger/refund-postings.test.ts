import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { PriceValues } from "../../src/pricing/entities.ts";
import type { Currency } from "../../src/pricing/fee-rule.ts";
import { successLines, type Line } from "../../src/ledger/postings.ts";
import { refundLines, type RefundFeeRule } from "../../src/ledger/refund-postings.ts";

type Price = Parameters<typeof refundLines>[0];

const upTo = (max: bigint, min = 0n) => fc.bigInt({ min, max });
const RULES = ["merchant", "service"] as const satisfies readonly RefundFeeRule[];

/** Prices as pricing makes them: the gross is the net and its fees, and the payer's total is the gross in BRL. */
const prices: fc.Arbitrary<Price> = fc
  .record({
    pricingCurrency: fc.constantFrom<Currency>("BRL", "USD"),
    receiverCurrency: fc.constantFrom<Currency>("BRL", "USD"),
    netMinor: fc.oneof(upTo(300n, 1n), upTo(999_999_999n, 1n)),
    serviceFeeMinor: fc.oneof(fc.constant(0n), upTo(20_000n)),
    installmentSurchargeMinor: fc.oneof(fc.constant(0n), upTo(200_000n)),
    iofAmountMinor: fc.oneof(fc.constant(0n), upTo(20_000n)),
    rateMicros: fc.oneof(upTo(6_500_000n, 4_500_000n), upTo(100_000_000n, 1_000_000n)),
  })
  .map(({ rateMicros, ...price }) => {
    const { pricingCurrency, receiverCurrency, netMinor } = price;
    const grossMinor =
      netMinor + price.serviceFeeMinor + price.installmentSurchargeMinor + price.iofAmountMinor;
    const inBrl = (minor: bigint): bigint => (minor * rateMicros + 999_999n) / 1_000_000n;
    const payerTotalMinor = pricingCurrency === "BRL" ? grossMinor : inBrl(grossMinor);
    const inUsd = (netMinor * 1_000_000n) / rateMicros;
    const converted = pricingCurrency === "BRL" ? inUsd : inBrl(netMinor);
    const receiverNetMinor = pricingCurrency === receiverCurrency ? netMinor : converted;
    return { ...price, grossMinor, payerTotalMinor, receiverNetMinor };
  });

const rules = fc.constantFrom<RefundFeeRule>(...RULES);
/** Where a whole refund is cut, in thousandths of it. */
const cuts = fc.array(fc.integer({ min: 1, max: 999 }), { maxLength: 6 });

function stepsOf({ payerTotalMinor: total }: Price, thousandths: readonly number[]) {
  const places = new Set(
    thousandths.map((cut) => (total * BigInt(cut)) / 1000n).filter((place) => place > 0n),
  );
  const ends = [0n, ...[...places].toSorted((one, other) => (one < other ? -1 : 1)), total];
  return ends.slice(1).map((afterMinor, index) => ({ beforeMinor: ends[index] as bigint, afterMinor }));
}

/** Debits less credits of each account and currency, those of nothing left out. */
function balances(lines: readonly Line[]): Record<string, bigint> {
  const sums: Record<string, bigint> = {};
  for (const { account, currency, debitMinor, creditMinor } of lines) {
    const name = `${account}:${currency}`;
    sums[name] = (sums[name] ?? 0n) + debitMinor - creditMinor;
  }
  return Object.fromEntries(Object.entries(sums).filter(([, minor]) => minor !== 0n));
}

function always(holds: (price: Price, rule: RefundFeeRule, thousandths: readonly number[]) => void): void {
  fc.assert(fc.property(prices, rules, cuts, holds), { numRuns: 5000 });
}

describe("refundLines of any price and split", () => {
  test("balance in each currency, and each line has one side above 0", () => {
    always((price, rule, thousandths) => {
      for (const step of stepsOf(price, thousandths)) {
        const lines = refundLines(price, step, rule);
        expect(lines.length).toBeGreaterThan(0);
        for (const { debitMinor, creditMinor } of lines) {
          expect(debitMinor >= 0n && creditMinor >= 0n && (debitMinor === 0n) !== (creditMinor === 0n)).toBe(
            true,
          );
        }
        for (const currency of ["BRL", "USD"]) {
          const own = lines.filter((line) => line.currency === currency);
          expect(own.reduce((sum, line) => sum + line.debitMinor - line.creditMinor, 0n)).toBe(0n);
        }
      }
    });
  });

  test("book in sum what one refund of the whole books", () => {
    always((price, rule, thousandths) => {
      const split = stepsOf(price, thousandths).flatMap((step) => refundLines(price, step, rule));
      const whole = refundLines(price, { beforeMinor: 0n, afterMinor: price.payerTotalMinor }, rule);
      expect(balances(split)).toEqual(balances(whole));
    });
  });

  test("take back every line of the success if the service bears the fee", () => {
    always((price) => {
      const whole = refundLines(price, { beforeMinor: 0n, afterMinor: price.payerTotalMinor }, "service");
      const asPaid = successLines(price as PriceValues).map((line) =>
        line.account === "merchant_payable" ? { ...line, account: "merchant_available" as const } : line,
      );
      expect(balances([...asPaid, ...whole])).toEqual({});
    });
  });

  test("leave revenue and tax as they are if the merchant bears the fee", () => {
    always((price, _, thousandths) => {
      for (const step of stepsOf(price, thousandths)) {
        const accounts = refundLines(price, step, "merchant").map(({ account }) => account);
        expect(accounts.filter((account) => /revenue|tax/.test(account))).toEqual([]);
      }
    });
  });
});
