import type { PriceValues } from "../pricing/entities.ts";
import type { Currency } from "../pricing/fee-rule.ts";

export type BridgeLineKind = "gross" | "service_fee" | "installment_surcharge" | "iof" | "rounding" | "net";

/** A line of a bridge: an amount as it is persisted, and its worth in BRL. */
export interface BridgeLine {
  readonly kind: BridgeLineKind;
  /** Smallest unit of `currency`; null of rounding, which is less than a unit. */
  readonly amountMinor: bigint | null;
  readonly currency: Currency | null;
  /** Millionths of a centavo. */
  readonly valueMicros: bigint;
}

/** The columns of a price row that a bridge is made of. */
export type BridgedPrice = Pick<
  PriceValues,
  | "pricingCurrency"
  | "payerTotalMinor"
  | "payerCurrency"
  | "serviceFeeMinor"
  | "installmentSurchargeMinor"
  | "iofAmountMinor"
  | "receiverNetMinor"
  | "receiverCurrency"
  | "rateMicros"
>;

const MICROS = 1_000_000n;

/**
 * How the gross becomes the net. Amounts are those of the price row. Their common measure is BRL at the public rate, in
 * millionths of a centavo, where every one of them is a whole number: a centavo is 1,000,000 of them and a cent of USD
 * as many as the rate has micros. So gross = service fee + installment surcharge + IOF + rounding + net, exactly.
 *
 * Rounding is what conversions to whole cents left over: nothing without a conversion of what is paid, below 1,000,000
 * (a centavo) where fees are in USD, below the rate (a cent of USD) where BRL is paid out in USD. Never negative.
 */
export function bridgeOf(price: BridgedPrice): BridgeLine[] {
  const { pricingCurrency: pricing, receiverCurrency: payout } = price;
  const worth = (amountMinor: bigint, currency: Currency): bigint => {
    if (currency === "BRL") return amountMinor * MICROS;
    if (price.rateMicros == null) throw new Error("a price in USD has no rate");
    return amountMinor * price.rateMicros;
  };
  const line = (kind: BridgeLineKind, amountMinor: bigint, currency: Currency): BridgeLine => ({
    kind,
    amountMinor,
    currency,
    valueMicros: worth(amountMinor, currency),
  });
  const gross = line("gross", price.payerTotalMinor, price.payerCurrency);
  const fees = [
    line("service_fee", price.serviceFeeMinor, pricing),
    line("installment_surcharge", price.installmentSurchargeMinor, pricing),
    line("iof", price.iofAmountMinor, pricing),
  ];
  const net = line("net", price.receiverNetMinor, payout);
  const accounted = [...fees, net].reduce((sum, { valueMicros }) => sum + valueMicros, 0n);
  const rounding: BridgeLine = {
    kind: "rounding",
    amountMinor: null,
    currency: null,
    valueMicros: gross.valueMicros - accounted,
  };
  return [gross, ...fees, rounding, net];
}
