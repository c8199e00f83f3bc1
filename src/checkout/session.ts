import type { TenantSettings } from "../identity/repository.ts";
import type { PaymentLinkRow } from "../links/entities.ts";
import { sessionExpiry, type LinkPrices } from "../links/link-price.ts";
import { insert, insertAll, type Change } from "../platform/change.ts";
import { newId } from "../platform/ids.ts";
import type { PriceValues } from "../pricing/entities.ts";
import { methodUnsupported, type Way } from "../pricing/pricer.ts";
import type { Providers } from "../providers/ports.ts";
import { CheckoutOption, CheckoutSession } from "./entities.ts";

// What a BR Code can carry.
const PIX_MAX_MINOR = 999_999_999_999n;
const INSTALLMENT_MIN_MINOR = 500n;

/**
 * The ways to pay that a link offers in a session: as far as link, tenant and providers go.
 * Error: payment_method_unsupported when there is none.
 */
export function waysOf(
  link: PaymentLinkRow,
  { tenant }: TenantSettings,
  { pix, card, bankAccount }: Providers,
): Way[] {
  const { feeHandling, maxInstallments } = link;
  const ways = link.paymentMethods.flatMap((method): Way[] => {
    const once = { method, installments: 1, feeHandling };
    if (method === "pix") return pix ? [once] : [];
    if (method === "ted") return bankAccount ? [once] : [];
    if (!card) return [];
    // A quote is of one number of installments.
    if (link.quoteId != null) {
      return maxInstallments <= card.maxInstallments ? [{ ...once, installments: maxInstallments }] : [];
    }
    const most = Math.min(maxInstallments, tenant.maxInstallments, card.maxInstallments);
    return Array.from({ length: most }, (_, index) => ({ ...once, installments: index + 1 }));
  });
  const [first] = link.paymentMethods;
  if (ways.length === 0 && first) throw methodUnsupported(first);
  return ways;
}

/** A session of the link with an option for each price that can be charged. Error: payment_method_unsupported. */
export function newSession(
  link: PaymentLinkRow,
  { prices, changes }: LinkPrices,
  now: Date,
): { id: string; changes: Change[] } {
  const { tenantId } = link;
  const chargeable = prices.filter((price) => isChargeable(price, link));
  const [first] = prices;
  if (chargeable.length === 0 && first) throw methodUnsupported(first.method);
  const id = newId("cs");
  const expiresAt = sessionExpiry(link, now);
  return {
    id,
    changes: [
      ...changes,
      insert(CheckoutSession, { tenantId, id, linkId: link.id, paymentCount: 0, expiresAt, createdAt: now }),
      insertAll(
        CheckoutOption,
        chargeable.map((price, index) => ({ tenantId, sessionId: id, number: index + 1, priceId: price.id })),
      ),
    ],
  };
}

function isChargeable(
  { method, installments, payerTotalMinor, otherInstallmentMinor }: PriceValues,
  { quoteId }: PaymentLinkRow,
): boolean {
  if (method === "pix") return payerTotalMinor <= PIX_MAX_MINOR;
  // An accepted quote said its number of installments.
  return installments === 1 || quoteId != null || otherInstallmentMinor >= INSTALLMENT_MIN_MINOR;
}
