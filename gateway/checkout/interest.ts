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
