import { invalidRequest } from "../platform/rpc/errors.ts";
import type { PriceValues } from "../pricing/entities.ts";
import { amountTooSmall, isBelowLeast } from "../pricing/payment-options.ts";
import type { AccountLimits } from "../providers/account-limits.ts";
import type { PaymentLinkRow } from "./entities.ts";

/** A priced payment option, as far as an account may have limits for it. */
type Option = Pick<PriceValues, "method" | "installments" | "payerTotalMinor" | "otherInstallmentMinor">;

/**
 * Requires that the merchant's accounts, once each method has one, can charge a new link by one of its payment options.
 * Errors: invalid_request on max_installments or amount.
 */
export function requireChargeable(
  { paymentMethods, maxInstallments }: Pick<PaymentLinkRow, "paymentMethods" | "maxInstallments">,
  options: readonly Option[],
  limits: AccountLimits,
): void {
  if (paymentMethods.every((method) => method === "card")) requireInstallments(limits, maxInstallments);
  if (options.some((option) => isOffered(option, limits))) return;
  const tooSmall = options.find((option) => isBelowLeast(option, limits));
  if (tooSmall) throw amountTooSmall(tooSmall.method, limits);
}

/** Requires that the account of a quote's method, if there is one, can charge it. Errors: those of `requireChargeable`. */
export function requireChargeableQuote(option: Option, limits: AccountLimits): void {
  if (option.method === "card") requireInstallments(limits, option.installments);
  if (isBelowLeast(option, limits)) throw amountTooSmall(option.method, limits);
}

/** Returns why no payer can pay a new link yet, and what to connect; undefined if one of its options can be paid. */
export function notPayableReason(options: readonly Option[], limits: AccountLimits): string | undefined {
  // An option that is too small for its account waits for nothing.
  const possible = options.filter((option) => !isBelowLeast(option, limits));
  const methods = [...new Set(possible.map(({ method }) => method))];
  if (methods.some((method) => limits.methods.includes(method))) return undefined;
  const connectable = methods.filter((method) => method !== "ted");
  return connectable.length === 0
    ? "No payer can pay this link yet: live mode takes no bank transfers yet."
    : `No payer can pay this link yet: connect an account for ${connectable.join(" or ")} in the console, or with "paylink providers put".`;
}

function isOffered(option: Option, limits: AccountLimits): boolean {
  if (isBelowLeast(option, limits)) return false;
  return option.method !== "card" || option.installments <= (limits.card?.installments ?? 0);
}

function requireInstallments({ card }: AccountLimits, installments: number): void {
  if (!card || installments <= card.installments) return;
  const message = `At most ${card.installments} installments are offered by the card account.`;
  throw invalidRequest("max_installments", message);
}
