import type { TenantSettings } from "../identity/tenant-settings.ts";
import { PaylinkError } from "../platform/rpc/errors.ts";
import type { AccountLimits } from "../providers/account-limits.ts";
import type { PriceValues } from "./entities.ts";
import { pricingCurrency, type PaymentMethod } from "./fee-rule.ts";
import type { PriceBook } from "./price-book.ts";
import { methodUnsupported, type Wanted } from "./pricer.ts";

const INSTALLMENTS_MAX = 21;

/** The settings, rules and limits that decide which payment options an amount is offered by. */
export interface Offering {
  readonly settings: TenantSettings;
  readonly book: PriceBook;
  readonly wanted: Wanted;
  /** A method without an account is priced all the same: its quotes are prices alone. */
  readonly limits: AccountLimits;
}

/** Returns true if the tenant takes payments by the method now. What was made before may have it still. */
export function isContracted({ tenant }: TenantSettings, method: PaymentMethod): boolean {
  return tenant.paymentMethods.includes(method);
}

/** Error: payment_method_unsupported. */
export function requireContracted(settings: TenantSettings, method: PaymentMethod): void {
  if (!isContracted(settings, method)) throw methodUnsupported(method, settings.tenant.paymentMethods);
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

/** Returns the highest number of installments that tenant, rule and card account offer. */
export function installmentLimit(
  { settings, book, wanted, limits }: Offering,
  method: PaymentMethod,
): number {
  if (method !== "card") return 1;
  const rule = book.ruleFor(method, pricingCurrency(wanted.currency, wanted.payoutCurrency));
  const accountMost = limits.card?.installments ?? INSTALLMENTS_MAX;
  return Math.min(settings.tenant.maxInstallments, rule?.surchargePpm.length ?? 0, accountMost);
}

/** Returns true if the account of its method cannot charge a price, because it or its installments are too small. */
export function isBelowLeast(
  {
    method,
    payerTotalMinor,
    otherInstallmentMinor,
  }: Pick<PriceValues, "method" | "payerTotalMinor" | "otherInstallmentMinor">,
  { pixLeastMinor, card }: AccountLimits,
): boolean {
  if (method === "pix") return payerTotalMinor < pixLeastMinor;
  return method === "card" && otherInstallmentMinor < (card?.leastInstallmentMinor ?? 0n);
}

/** Returns the error of an amount that a method's account cannot charge. */
export function amountTooSmall(method: PaymentMethod, { pixLeastMinor, card }: AccountLimits): PaylinkError {
  const least =
    method === "pix"
      ? `PIX of at least ${inReais(pixLeastMinor)}`
      : `cards from ${inReais(card?.leastInstallmentMinor ?? 0n)} for each installment on`;
  const message = `amount is too small: the merchant's account takes ${least}.`;
  return new PaylinkError("invalid_request", message, "amount", { facts: { refusal: "amount_too_small" } });
}

function inReais(minor: bigint): string {
  return `${minor / 100n}.${String(minor % 100n).padStart(2, "0")} BRL`;
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
