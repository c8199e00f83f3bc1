import { PaylinkError } from "../platform/rpc/errors.ts";
import type { PaymentMethod } from "./fee-rule.ts";
import type { Price } from "./price.ts";

/** Maximum of one payment, in centavos: a BR Code has room for 13 characters, a card's message for 12 digits. */
export const PAYER_TOTAL_MAX_MINOR = 999_999_999_999n;

// The largest integer that JSON's readers keep exact. A net is larger only at a rate far below any real one.
const NET_MAX_MINOR = BigInt(Number.MAX_SAFE_INTEGER);

/** A price above the maximum of a payment. */
class TotalTooLarge extends PaylinkError {
  constructor(method: PaymentMethod, installments: number) {
    const option = installments > 1 ? `${method} in ${installments} installments` : method;
    // The total would reveal the rate or the fee, which only quotes show.
    const message = `amount is too large: by ${option} the payer's total would be over 9999999999.99 BRL, the most that can be charged.`;
    super("invalid_request", message, "amount");
  }
}

/**
 * Returns the reason why a price cannot be charged, or undefined if it can. The reason is invalid_request on amount.
 */
export function chargeRefusal(
  { method, installments }: { readonly method: PaymentMethod; readonly installments: number },
  { payerTotalMinor, receiverNetMinor }: Pick<Price, "payerTotalMinor" | "receiverNetMinor">,
): PaylinkError | undefined {
  if (payerTotalMinor <= PAYER_TOTAL_MAX_MINOR && receiverNetMinor <= NET_MAX_MINOR) return undefined;
  return new TotalTooLarge(method, installments);
}

/** Returns true if the error says that the payer's total is above the maximum. */
export function isTotalRefused(error: unknown): boolean {
  return error instanceof TotalTooLarge;
}
