import type { TenantSettings } from "../identity/repository.ts";
import { PaylinkError } from "../platform/errors.ts";
import { pricingCurrency, type PaymentMethod } from "./fee-rule.ts";
import type { PriceBook } from "./price-book.ts";
import { methodUnsupported, type Wanted } from "./pricer.ts";

const INSTALLMENTS_MAX = 21;

/** The settings and rules that decide which payment options an amount is offered by. */
export interface Offering {
  readonly settings: TenantSettings;
  readonly book: PriceBook;
  readonly wanted: Wanted;
}

/** Returns true if the tenant takes payments by the method now. What was made before may have it still. */
export function isContracted({ tenant }: TenantSettings, method: PaymentMethod): boolean {
  return tenant.paymentMethods.includes(method);
}

/** Error: payment_method_unsupported. */
export function requireContracted(settings: TenantSettings, method: PaymentMethod): void {
  if (!isContracted(settings, method)) throw methodUnsupported(method);
}

/** Returns the reason why a method is not offered at all, or undefined if it is. */
export function methodRefusal(
  { settings, book, wanted }: Offering,
  method: PaymentMethod,
): "method_not_contracted" | "no_rule" | undefined {
  if (!isContracted(settings, method)) return "method_not_contracted";
  return book.ruleFor(method, pricingCurrency(wanted.currency, wanted.payoutCurrency))
    ? undefined
    : "no_rule";
}

/** Returns settings with no more installments than a card account takes; `most` undefined: there is no account. */
export function withinAccount(settings: TenantSettings, most: number | undefined): TenantSettings {
  const { tenant } = settings;
  if (most === undefined || most >= tenant.maxInstallments) return settings;
  return { ...settings, tenant: { ...tenant, maxInstallments: most } };
}

/** Returns the highest number of installments that both tenant and rule offer. */
export function installmentLimit({ settings, book, wanted }: Offering, method: PaymentMethod): number {
  if (method !== "card") return 1;
  const rule = book.ruleFor(method, pricingCurrency(wanted.currency, wanted.payoutCurrency));
  return Math.min(settings.tenant.maxInstallments, rule?.surchargePpm.length ?? 0);
}

/** Returns the numbers of installments that a method is priced in, for cards up to `cap`. */
export function installmentCounts(
  offering: Offering,
  method: PaymentMethod,
  cap = INSTALLMENTS_MAX,
): readonly number[] {
  const most = Math.min(installmentLimit(offering, method), method === "card" ? cap : INSTALLMENTS_MAX);
  return Array.from({ length: most }, (_, index) => index + 1);
}

/** Returns true if the error says that the merchant's net would not be positive. */
export function isNetRefused(error: unknown): boolean {
  return error instanceof PaylinkError && error.code === "merchant_net_not_positive";
}

/** Returns true if the error says that the method, or its number of installments, is not offered. */
export function isMethodRefused(error: unknown): boolean {
  return error instanceof PaylinkError && error.code === "payment_method_unsupported";
}
