import fc from "fast-check";
import {
  type Currency,
  type FeeHandling,
  type FeeRule,
  type PaymentMethod,
  needsConversion,
} from "../../src/pricing/fee-rule.ts";
import type { PriceInput } from "../../src/pricing/price.ts";

const MAX_AMOUNT = 999_999_999_999n;
const upTo = (max: bigint, min = 0n) => fc.bigInt({ min, max });

const amounts = fc.oneof(
  upTo(300n, 1n),
  upTo(100_000n, 1n),
  upTo(MAX_AMOUNT, 1n),
  upTo(MAX_AMOUNT, MAX_AMOUNT - 3n),
);
const smallOrHuge = fc.oneof(fc.constant(0n), upTo(50n), upTo(20_000n), upTo(MAX_AMOUNT));
const totalPpms = fc.oneof(fc.constant(500_000n), upTo(500_000n), upTo(60_000n));
const offsets = upTo(2n, -2n);

interface RuleSeed {
  totalPpm: bigint;
  percentPpm: bigint;
  fixedMinor: bigint;
  minMinor: bigint;
  maxRoomMinor: bigint | null;
  /** Puts the minimum or the maximum where the raw fee of the amount lies. */
  edge: "min" | "max" | "none";
  offset: bigint;
}

const ruleSeeds: fc.Arbitrary<RuleSeed> = fc.record({
  totalPpm: totalPpms,
  percentPpm: upTo(500_000n),
  fixedMinor: smallOrHuge,
  minMinor: smallOrHuge,
  maxRoomMinor: fc.option(smallOrHuge, { nil: null }),
  edge: fc.constantFrom("min", "max", "none"),
  offset: offsets,
});

function buildRule(seed: RuleSeed, aroundMinor: bigint, installments: number, entries: number): FeeRule {
  const { totalPpm, fixedMinor, edge, maxRoomMinor } = seed;
  const single = installments === 1;
  const percentPpm = single || seed.percentPpm > totalPpm ? totalPpm : seed.percentPpm;
  const surchargePpm = Array.from({ length: entries }, (_, index) =>
    index > 0 && index === installments - 1 ? totalPpm - percentPpm : 0n,
  );
  const rawMinor = (aroundMinor * percentPpm) / 1_000_000n + fixedMinor + seed.offset;
  const edgeMinor = rawMinor < 0n ? 0n : rawMinor;
  if (edge === "max") {
    const minMinor = seed.minMinor < edgeMinor ? seed.minMinor : edgeMinor;
    return { percentPpm, fixedMinor, minMinor, maxMinor: edgeMinor, surchargePpm };
  }
  const minMinor = edge === "min" ? edgeMinor : seed.minMinor;
  const maxMinor = maxRoomMinor === null ? null : minMinor + maxRoomMinor;
  return { percentPpm, fixedMinor, minMinor, maxMinor, surchargePpm };
}

interface Limits {
  pairs?: readonly (readonly [Currency, Currency])[];
  feeHandling?: FeeHandling;
}

const allPairs = [
  ["BRL", "BRL"],
  ["BRL", "USD"],
  ["USD", "BRL"],
  ["USD", "USD"],
] as const;

/** Inputs of every currency pair, method and installment count, with rules drawn to their edges. */
export function inputs({ pairs = allPairs, feeHandling }: Limits = {}): fc.Arbitrary<PriceInput> {
  return fc
    .record({
      amountMinor: amounts,
      pair: fc.constantFrom(...pairs),
      method: fc.constantFrom<PaymentMethod>("pix", "ted", "card", "card"),
      cardInstallments: fc.integer({ min: 1, max: 21 }),
      feeHandling: fc.constantFrom<FeeHandling>(
        ...(feeHandling ? [feeHandling] : (["absorb", "pass_through"] as const)),
      ),
      seed: ruleSeeds,
      rateMicros: fc.oneof(upTo(6_500_000n, 4_500_000n), upTo(100n, 1n), upTo(1_000_000_000n, 1n)),
      iof: fc.record({ ppm: fc.oneof(fc.constant(35_000n), upTo(1_000_000n)), enabled: fc.boolean() }),
    })
    .map(({ pair: [currency, payoutCurrency], cardInstallments, seed, rateMicros, ...rest }) => {
      const installments = rest.method === "card" ? cardInstallments : 1;
      const rule = buildRule(seed, rest.amountMinor, installments, installments);
      return {
        ...rest,
        currency,
        payoutCurrency,
        installments,
        rule,
        rateMicros: needsConversion(currency, payoutCurrency) ? rateMicros : null,
      };
    });
}
