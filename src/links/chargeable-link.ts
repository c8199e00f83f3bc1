import { PaylinkError, invalidRequest } from "../platform/errors.ts";
import type { PriceValues } from "../pricing/entities.ts";
import { amountTooSmall, isBelowLeast } from "../pricing/payment-options.ts";
import type { AccountLimits } from "../providers/account-limits.ts";
import type { PaymentLinkRow } from "./entities.ts";

/** A priced payment option, as far as an account may have limits for it. */
type Option = Pick<PriceValues, "method" | "installments" | "payerTotalMinor" | "otherInstallmentMinor">;

/**
 * Requires that the merchant's accounts can charge a new link by one of its payment options: else no payer could pay it.
 * PIX may wait for its account, and cards beside another method for theirs. Errors: payment_method_unsupported,
 * invalid_request on max_installments or amount.
 */
export function requireChargeable(
  { paymentMethods, maxInstallments }: Pick<PaymentLinkRow, "paymentMethods" | "maxInstallments">,
  options: readonly Option[],
  limits: AccountLimits,
): void {
  if (paymentMethods.every((method) => method === "card")) {
    requireCardAccount(limits, maxInstallments, "payment_methods");
  }
  if (options.some((option) => isOffered(option, limits))) return;
  const tooSmall = options.find((option) => isBelowLeast(option, limits));
  if (tooSmall) throw amountTooSmall(tooSmall.method, limits);
}

/** Requires that the account of a quote's method can charge it. Errors: those of `requireChargeable`. */
export function requireChargeableQuote(option: Option, limits: AccountLimits): void {
  if (option.method === "card") requireCardAccount(limits, option.installments, "payment_method");
  if (isBelowLeast(option, limits)) throw amountTooSmall(option.method, limits);
}

function isOffered(option: Option, limits: AccountLimits): boolean {
  if (isBelowLeast(option, limits)) return false;
  return option.method !== "card" || option.installments <= (limits.card?.installments ?? 0);
}

function requireCardAccount({ card }: AccountLimits, installments: number, param: string): void {
  if (!card) {
    const message = "card is not offered here: the merchant has no account at a card provider yet.";
    throw new PaylinkError("payment_method_unsupported", message, param);
  }
  const most = card.installments;
  if (installments > most) {
    throw invalidRequest("max_installments", `At most ${most} installments are offered by the card account.`);
  }
}
