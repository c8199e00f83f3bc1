import { expect, test } from "vitest";
import type { FxPolicyRow, FxRateHistoryRow, PricingRuleRow } from "../../src/pricing/entities.ts";
import { pricingCurrency } from "../../src/pricing/fee-rule.ts";
import { PriceBook } from "../../src/pricing/price-book.ts";
import { priceRow, priceRowAt } from "../../src/pricing/pricer.ts";
import { DEFAULT_TENANT } from "../../src/pricing/repository.ts";

const NOW = new Date("2026-03-02T12:00:00Z");
const TENANT = "ten_own";

const RULE: PricingRuleRow = {
  tenantId: DEFAULT_TENANT,
  id: "rule_1",
  method: "card",
  currency: pricingCurrency("BRL", "USD"),
  percentPpm: 30_000n,
  fixedMinor: 40n,
  minMinor: 100n,
  maxMinor: 1200n,
  surchargePpm: [0, 20_000, 30_000],
  defaultFeeHandling: "pass_through",
  createdAt: NOW,
};
const POLICY: FxPolicyRow = {
  tenantId: DEFAULT_TENANT,
  id: "policy_1",
  coveragePpm: 0n,
  iofPpm: 3500n,
  iofEnabled: true,
  iofNature: "",
  iofLegalBasis: "",
  validFrom: NOW,
  createdAt: NOW,
};

function lock(id: bigint, rateMicros: bigint): FxRateHistoryRow {
  const spot = { spotId: "spot_1", spotMicros: rateMicros, coveragePpm: 0n };
  return { tenantId: TENANT, id, ...spot, rateMicros, lockedAt: NOW, validUntil: NOW };
}

function priced(book: PriceBook, amountMinor: bigint, installments: number, at: FxRateHistoryRow) {
  const wanted = { amountMinor, currency: "BRL", payoutCurrency: "USD" } as const;
  const option = { method: "card", installments, feeHandling: undefined } as const;
  return priceRow(TENANT, book, wanted, option, at, NOW);
}

const inForce = (rule: PricingRuleRow) => new PriceBook({ rules: [rule], policies: [POLICY], spot: null });

test("a price's row holds the rule's figures, those of its own installments, and an id of its own", () => {
  const row = priced(inForce(RULE), 100_000n, 3, lock(1n, 5_000_000n));
  expect(row).toMatchObject({
    id: expect.stringMatching(/^prc_/),
    ruleId: "rule_1",
    feeHandling: "pass_through",
    surchargePpm: 30_000n,
    percentPpm: 30_000n,
    maxMinor: 1200n,
    iofPpm: 3500n,
    fxRateHistoryId: 1n,
  });
  expect(priced(inForce(RULE), 100_000n, 3, lock(1n, 5_000_000n)).id).not.toBe(row.id);
});

test.each([
  [1, 100_000n, 1200n],
  [3, 100_000n, null],
  [3, 9_000_000n, 1200n],
])(
  "a price in %i installments of %d at another rate is what its rule would have made of that rate: maximum %d",
  (installments, amountMinor, maxMinor) => {
    const book = inForce({ ...RULE, maxMinor });
    const [first, second] = [lock(1n, 5_000_000n), lock(2n, 5_040_000n)];
    const row = priced(book, amountMinor, installments, first);
    const { id, ...again } = priceRowAt(row, second, NOW);
    const { id: otherId, ...expected } = priced(book, amountMinor, installments, second);
    expect(again).toEqual(expected);
    expect(again.payerTotalMinor + again.receiverNetMinor).not.toBe(
      row.payerTotalMinor + row.receiverNetMinor,
    );
    expect(new Set([id, otherId, row.id]).size).toBe(3);
  },
);
