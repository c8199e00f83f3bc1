import { type CheckoutOption } from "../../gen/paylink/checkout/v1/checkout_pb.ts";
import { PaymentMethod } from "../../gen/paylink/pricing/v1/pricing_pb.ts";

/**
 * Returns whether a card payment in installments costs more than one at once, among a session's options; undefined for
 * other options, and where there is no payment at once to compare with.
 */
export function interestOf(
  options: readonly CheckoutOption[],
  option: CheckoutOption,
): "interest_free" | "with_interest" | undefined {
  if (option.paymentMethod !== PaymentMethod.CARD || option.installments === 1) return undefined;
  const atOnce = options.find(
    ({ paymentMethod, installments }) => paymentMethod === PaymentMethod.CARD && installments === 1,
  );
  if (!atOnce || atOnce.payerCurrency !== option.payerCurrency) return undefined;
  return option.payerTotal === atOnce.payerTotal ? "interest_free" : "with_interest";
}

/** The most installments of a session's card options, and how many of them cost no more than one payment at once. */
export interface CardReach {
  readonly most: number;
  /** 1: none; undefined: there is nothing to compare with. */
  readonly mostFree: number | undefined;
}

/** Returns how far a card goes among a session's options. */
export function cardReach(options: readonly CheckoutOption[]): CardReach {
  const cards = options.filter(({ paymentMethod }) => paymentMethod === PaymentMethod.CARD);
  const counts = cards.map(({ installments }) => installments);
  const several = cards.filter(({ installments }) => installments > 1);
  const isComparable = several.every((option) => interestOf(options, option) !== undefined);
  const dearer = several.filter((option) => interestOf(options, option) === "with_interest");
  const leastDear = Math.min(...dearer.map(({ installments }) => installments));
  const most = Math.max(1, ...counts);
  const free = counts.filter((count) => count < leastDear);
  return { most, mostFree: isComparable ? Math.max(1, ...free) : undefined };
}
