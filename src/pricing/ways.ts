import type { TenantSettings } from "../identity/repository.ts";
import { PaylinkError } from "../platform/errors.ts";
import { pricingCurrency, type PaymentMethod } from "./fee-rule.ts";
import type { PriceBook } from "./price-book.ts";
import type { Wanted } from "./pricer.ts";

const INSTALLMENTS_MAX = 21;

/** What decides which ways to pay an amount are offered. */
export interface Offering {
  readonly settings: TenantSettings;
  readonly book: PriceBook;
  readonly wanted: Wanted;
}

/** Why a method is not offered at all, or undefined when it is. */
export function methodRefusal(
  { settings, book, wanted }: Offering,
  method: PaymentMethod,
): "method_not_contracted" | "no_rule" | undefined {
  if (!settings.tenant.paymentMethods.includes(method)) return "method_not_contracted";
  return book.ruleFor(method, pricingCurrency(wanted.currency, wanted.payoutCurrency))
    ? undefined
    : "no_rule";
}

/** Highest number of installments that both tenant and rule offer. */
export function installmentLimit({ settings, book, wanted }: Offering, method: PaymentMethod): number {
  if (method !== "card") return 1;
  const rule = book.ruleFor(method, pricingCurrency(wanted.currency, wanted.payoutCurrency));
  return Math.min(settings.tenant.maxInstallments, rule?.surchargePpm.length ?? 0);
}

/** The numbers of installments that a method is priced in, cards up to `cap`. */
export function installmentCounts(
  offering: Offering,
  method: PaymentMethod,
  cap = INSTALLMENTS_MAX,
): readonly number[] {
  const most = Math.min(installmentLimit(offering, method), method === "card" ? cap : INSTALLMENTS_MAX);
  return Array.from({ length: most }, (_, index) => index + 1);
}

/** Whether an error says that the merchant would be left nothing. */
export function isNetRefused(error: unknown): boolean {
  return error instanceof PaylinkError && error.code === "merchant_net_not_positive";
}
