import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { bridgeOf, type BridgedPrice, type BridgeLineKind } from "../../src/ledger/bridge.ts";
import { pricedInput } from "../support/bulk-payments.ts";
import { times } from "../support/scale.ts";

const CENTAVO = 1_000_000n;

function valuesOf(price: BridgedPrice): Record<BridgeLineKind, bigint> {
  const lines = bridgeOf(price).map(({ kind, valueMicros }) => [kind, valueMicros] as const);
  return Object.fromEntries(lines) as Record<BridgeLineKind, bigint>;
}

describe("a payment's bridge", () => {
  test("adds up exactly, with a rounding below what the algorithm promises, for every conversion", () => {
    const seen = new Map<string, number>();
    const check = fc.property(pricedInput, ({ input, price }) => {
      const { gross, net, rounding, ...fees } = valuesOf({ ...price, rateMicros: input.rateMicros });
      const taken = fees.service_fee + fees.installment_surcharge + fees.iof;
      expect(gross).toBe(taken + rounding + net);
      expect(gross).toBe(price.payerTotalMinor * CENTAVO);
      const conversion = `${input.currency} to ${input.payoutCurrency}`;
      seen.set(conversion, (seen.get(conversion) ?? 0) + 1);
      const bound =
        input.payoutCurrency === "BRL" ? 1n : input.currency === "USD" ? CENTAVO : (input.rateMicros ?? 0n);
      expect(rounding >= 0n && rounding < bound).toBe(true);
    });
    fc.assert(check, { numRuns: times(20_000, 4000) });
    expect([...seen.keys()].toSorted()).toEqual(["BRL to BRL", "BRL to USD", "USD to BRL", "USD to USD"]);
  });

  test("shows every amount as it is persisted", () => {
    const check = fc.property(pricedInput, ({ input, price }) => {
      const lines = bridgeOf({ ...price, rateMicros: input.rateMicros });
      expect(lines.map(({ kind, amountMinor, currency }) => [kind, amountMinor, currency])).toEqual([
        ["gross", price.payerTotalMinor, "BRL"],
        ["service_fee", price.serviceFeeMinor, price.pricingCurrency],
        ["installment_surcharge", price.installmentSurchargeMinor, price.pricingCurrency],
        ["iof", price.iofAmountMinor, price.pricingCurrency],
        ["rounding", null, null],
        ["net", price.receiverNetMinor, input.payoutCurrency],
      ]);
    });
    fc.assert(check, { numRuns: times(2000, 300) });
  });

  test.each([
    ["USD to USD", 58_395n, "USD", 241n, 350n, 10_000n, "USD", 653038n],
    ["BRL to USD", 55_000n, "BRL", 585n, 1841n, 9535n, "USD", 1995630n],
    ["USD to BRL", 55_728n, "BRL", 592n, 0n, 55_136n, "BRL", 0n],
  ] as const)(
    "of the pricing page's vector %s",
    (_, payerTotalMinor, pricing, fee, iof, net, payout, rest) => {
      const values = valuesOf({
        payerTotalMinor,
        payerCurrency: "BRL",
        pricingCurrency: pricing,
        serviceFeeMinor: fee,
        installmentSurchargeMinor: 0n,
        iofAmountMinor: iof,
        receiverNetMinor: net,
        receiverCurrency: payout,
        rateMicros: 5_513_582n,
      });
      expect(values.rounding).toBe(rest);
    },
  );
});
