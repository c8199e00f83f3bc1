import { PaylinkError } from "../platform/errors.ts";
import type { PaymentMethod } from "./fee-rule.ts";
import type { Price } from "./price.ts";

/** The most that one payment carries, in centavos: a BR Code has room for 13 characters, a card's message for 12 digits. */
export const PAYER_TOTAL_MAX_MINOR = 999_999_999_999n;

// What JSON's readers hold. Only at a rate far below any real one is a net past it.
const NET_MAX_MINOR = BigInt(Number.MAX_SAFE_INTEGER);

/** A price that no payment can carry. */
class TotalTooLarge extends PaylinkError {
  constructor(method: PaymentMethod, installments: number) {
    const way = installments > 1 ? `${method} in ${installments} installments` : method;
    // The total itself would tell the rate or the fee, which quotes alone do.
    const message = `amount is too large: by ${way} the payer's total would be over 9999999999.99 BRL, the most that can be charged.`;
    super("invalid_request", message, "amount");
  }
}

/** Why a price can not be charged, or undefined when it can. Error: invalid_request on amount. */
export function chargeRefusal(
  { method, installments }: { readonly method: PaymentMethod; readonly installments: number },
  { payerTotalMinor, receiverNetMinor }: Pick<Price, "payerTotalMinor" | "receiverNetMinor">,
): PaylinkError | undefined {
  if (payerTotalMinor <= PAYER_TOTAL_MAX_MINOR && receiverNetMinor <= NET_MAX_MINOR) return undefined;
  return new TotalTooLarge(method, installments);
}

/** Whether an error says that the payer's total would be more than can be charged. */
export function isTotalRefused(error: unknown): boolean {
  return error instanceof TotalTooLarge;
}
