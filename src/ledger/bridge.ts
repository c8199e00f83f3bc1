import { type BridgeLineKind as KindEnum } from "../../gen/paylink/ledger/v1/ledger_pb.ts";
import { type WordOf } from "../../contract/enum-words.ts";
import type { PriceValues } from "../pricing/entities.ts";
import type { Currency } from "../pricing/fee-rule.ts";
import type { Account, Line } from "./postings.ts";
import type { LedgerEntryKind } from "./entities.ts";
import type { ProviderEntryKind } from "./provider-postings.ts";

export type BridgeLineKind = WordOf<typeof KindEnum>;

/** A line of a bridge: an amount as it is persisted, and its value in BRL. */
export interface BridgeLine {
  readonly kind: BridgeLineKind;
  /** In the smallest unit of `currency`; null for rounding, which is less than one unit. */
  readonly amountMinor: bigint | null;
  readonly currency: Currency | null;
  /** In millionths of a centavo. */
  readonly valueMicros: bigint;
}

/** The columns of a price row that the bridge uses. */
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

/** Returns a function that makes a line, with its value at the price's public rate. */
function lineMaker(price: Pick<BridgedPrice, "rateMicros">) {
  const worth = (amountMinor: bigint, currency: Currency): bigint => {
    if (currency === "BRL") return amountMinor * MICROS;
    if (price.rateMicros == null) throw new Error("a price in USD has no rate");
    return amountMinor * price.rateMicros;
  };
  return (kind: BridgeLineKind, amountMinor: bigint, currency: Currency): BridgeLine => ({
    kind,
    amountMinor,
    currency,
    valueMicros: worth(amountMinor, currency),
  });
}

/** Returns the line of what the parts leave of the whole. */
function roundingOf(whole: BridgeLine, parts: readonly BridgeLine[]): BridgeLine {
  const accounted = parts.reduce((sum, { valueMicros }) => sum + valueMicros, 0n);
  return { kind: "rounding", amountMinor: null, currency: null, valueMicros: whole.valueMicros - accounted };
}

/**
 * Returns the lines from what went back to what the merchant bears of it, from the lines that are booked: refunded =
 * service fee + installment surcharge + IOF + rounding + borne, exactly, at the public rate. No lines: nothing went back.
 */
export function refundBridgeOf(price: BridgedPrice, booked: readonly Line[]): BridgeLine[] {
  const { pricingCurrency: pricing, receiverCurrency: payout } = price;
  const line = lineMaker(price);
  const debited = (account: Account): bigint =>
    booked
      .filter((one) => one.account === account)
      .reduce((sum, { debitMinor, creditMinor }) => sum + debitMinor - creditMinor, 0n);
  const refunded = line("refunded", -debited("provider_clearing"), price.payerCurrency);
  if (refunded.amountMinor === 0n) return [];
  const fees = [
    line("service_fee", debited("revenue.service"), pricing),
    line("installment_surcharge", debited("revenue.installment"), pricing),
    line("iof", debited("tax_payable.iof"), pricing),
  ];
  const borne = line("borne", debited("merchant_available"), payout);
  return [refunded, ...fees, roundingOf(refunded, [...fees, borne]), borne];
}

/** Returns the line of what stays of the net after what the merchant bears of all that went back, as it is booked. */
export function keptOf(price: BridgedPrice, booked: readonly Line[]): BridgeLine {
  const borneMinor = booked
    .filter(({ account }) => account === "merchant_available")
    .reduce((sum, { debitMinor, creditMinor }) => sum + debitMinor - creditMinor, 0n);
  return lineMaker(price)("kept", price.receiverNetMinor - borneMinor, price.receiverCurrency);
}

const DEDUCTIONS = [
  "provider_fee",
  "anticipation",
  "chargeback",
  "refund_deduction",
  "payout",
] as const satisfies readonly ProviderEntryKind[];

/**
 * Returns the lines from what a card provider owes to what is outstanding, from the lines that are booked: receivable =
 * provider's fee + anticipation + chargebacks + refunds + payout + outstanding, exactly. They are apart from the price.
 * No entries of a provider: no lines.
 */
export function providerBridgeOf(
  booked: readonly { readonly kind: LedgerEntryKind; readonly lines: readonly Line[] }[],
): BridgeLine[] {
  const line = lineMaker({ rateMicros: null });
  const owed = (kind?: ProviderEntryKind): bigint =>
    booked
      .filter((entry) => kind === undefined || entry.kind === kind)
      .flatMap(({ lines }) => lines.filter(({ account }) => account === "provider_receivable"))
      .reduce((sum, { debitMinor, creditMinor }) => sum + debitMinor - creditMinor, 0n);
  const receivableMinor = owed("receivable");
  if (receivableMinor === 0n) return [];
  return [
    line("receivable", receivableMinor, "BRL"),
    ...DEDUCTIONS.map((kind) => line(kind, -owed(kind), "BRL")),
    line("outstanding", owed(), "BRL"),
  ];
}

/**
 * Returns the lines that lead from gross to net. Amounts are those of the price row. Values are in BRL at the public
 * rate, in millionths of a centavo, so that each is a whole number: a centavo is 1,000,000 of them, a cent of USD is as
 * many as the rate has micros. So gross = service fee + installment surcharge + IOF + rounding + net, exactly.
 *
 * Rounding is the remainder of conversions to whole cents, and never negative. It is zero without a conversion of the
 * paid amount, below 1,000,000 (a centavo) if fees are in USD, and below the rate (a cent of USD) if BRL is paid out in
 * USD.
 */
export function bridgeOf(price: BridgedPrice): BridgeLine[] {
  const { pricingCurrency: pricing, receiverCurrency: payout } = price;
  const line = lineMaker(price);
  const gross = line("gross", price.payerTotalMinor, price.payerCurrency);
  const fees = [
    line("service_fee", price.serviceFeeMinor, pricing),
    line("installment_surcharge", price.installmentSurchargeMinor, pricing),
    line("iof", price.iofAmountMinor, pricing),
  ];
  const net = line("net", price.receiverNetMinor, payout);
  return [gross, ...fees, roundingOf(gross, [...fees, net]), net];
}
