import type { TenantSettings } from "../identity/tenant-settings.ts";
import type { PaymentLinkRow } from "../links/entities.ts";
import { PaylinkError } from "../platform/errors.ts";
import { needsConversion, type PaymentMethod } from "../pricing/fee-rule.ts";
import { isBelowLeast } from "../pricing/payment-options.ts";
import type { PriceBook } from "../pricing/price-book.ts";
import { priceOf, type PaymentOption } from "../pricing/pricer.ts";
import { limitsOf } from "../providers/account-limits.ts";
import type { Providers } from "../providers/directory.ts";
import { offeredOptions } from "./session.ts";

/**
 * Returns the methods that a link's first page names: those of which the accounts can charge an option now. It locks no
 * rate and fixes no price: what a session offers is decided when it opens.
 */
export function shownMethods(
  link: PaymentLinkRow,
  settings: TenantSettings,
  providers: Providers,
  book: PriceBook,
  now: Date,
): PaymentMethod[] {
  const options = offeredOptions(link, settings, providers);
  const limits = limitsOf(providers);
  const rateMicros = book.rateAt(now)?.rateMicros ?? null;
  const isUnpriced =
    link.priceId != null || (needsConversion(link.currency, link.payoutCurrency) && rateMicros === null);
  const isTooSmall = (option: PaymentOption): boolean => {
    try {
      const { price } = priceOf(book, link, option, rateMicros, now);
      return isBelowLeast({ ...option, ...price }, limits);
    } catch (error) {
      // The opening of a session says why.
      if (error instanceof PaylinkError) return false;
      throw error;
    }
  };
  return link.paymentMethods.filter((method) => {
    // No other option of a method has larger installments than its first one.
    const first = options.find((option) => option.method === method);
    return first !== undefined && (isUnpriced || !isTooSmall(first));
  });
}
